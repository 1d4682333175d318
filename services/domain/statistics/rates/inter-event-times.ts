/** Where a bin begins, seconds. */
export function startOfLogBin(bin: number, width: number): number {
  return 10 ** (bin * width);
}
