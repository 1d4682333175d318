/**
 * The quantile of ascending numbers by linear interpolation between the two nearest ranks: type 7 of
 * Hyndman and Fan 1996, as R, NumPy and PostgreSQL's percentile_cont have it.
 * @param fraction 0 to 1
 * @returns NaN for no numbers
 */
export function quantileOf(ascending: ArrayLike<number>, fraction: number): number {
  const rank = (ascending.length - 1) * fraction;
  const below = Math.floor(rank);
  const low = ascending[below];
  if (low === undefined) return Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (rank - below) * (high - low);
}
