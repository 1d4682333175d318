/** Where a cell begins, degrees: its southern or western edge. */
export function edgeOfCell(cell: number, size: number): number {
  return Number((cell * size).toFixed(9));
}
