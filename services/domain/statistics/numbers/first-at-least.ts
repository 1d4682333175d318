/** The first of ascending values from a limit up, or above it; their number where there is none. */
export function firstAtLeast(ascending: Float64Array, limit: number, isAbove = false): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = ascending[middle] ?? 0;
    if (value < limit || (isAbove && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
