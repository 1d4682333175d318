/** So that −39.0 belongs to the cell that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The cell of a latitude or of a longitude: ⌊degrees / size⌋. @param size of a cell, degrees */
export function cellOf(degrees: number, size: number): number {
  return Math.floor(degrees / size + TOLERANCE);
}

/** A longitude from −180 up to but without 180: both are the same meridian. */
export function wrapLongitude(longitude: number): number {
  return longitude - 360 * Math.floor((longitude + 180) / 360);
}

/** Where a cell begins, degrees: its southern or western edge. */
export function edgeOfCell(cell: number, size: number): number {
  return Number((cell * size).toFixed(9));
}
