/** Pairs of values, such as the magnitudes of the same earthquakes in two catalogues. */
export type Points = {
  readonly x: Float64Array;
  /** As many as `x`. */
  readonly y: Float64Array;
};

/** y = intercept + slope · x. */
export type Line = { readonly slope: number; readonly intercept: number };

export function differencesOf({ x, y }: Points): Float64Array {
  return y.map((value, i) => value - (x[i] ?? 0));
}
