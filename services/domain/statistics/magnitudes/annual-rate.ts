/**
 * a of the events per year, log N(≥ M) = a − bM: a = log(N(≥ Mc) / T) + b · Mc
 * (Gutenberg & Richter 1944).
 * @param years T
 */
export function annualA(n: number, { b, mc, years }: { b: number; mc: number; years: number }) {
  return Math.log10(n / years) + b * mc;
}

/** Events per year of at least a magnitude: 10^(a − bM). */
export function annualRate(magnitude: number, { a, b }: { a: number; b: number }): number {
  return 10 ** (a - b * magnitude);
}
