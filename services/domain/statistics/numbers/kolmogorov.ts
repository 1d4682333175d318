const TERMS = 100;

/**
 * The probability of a Kolmogorov distance of at least `d` for `n` draws of a known distribution:
 * the asymptotic series with Stephens' correction for small numbers (Stephens 1970).
 */
export function kolmogorovP(d: number, n: number): number {
  const root = Math.sqrt(n);
  const lambda = (root + 0.12 + 0.11 / root) * d;
  if (lambda < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= TERMS; k++) {
    const term = 2 * (-1) ** (k - 1) * Math.exp(-2 * (k * lambda) ** 2);
    sum += term;
    if (Math.abs(term) < 1e-15) break;
  }
  return Math.min(1, Math.max(0, sum));
}

/** The largest distance between the distribution of ascending values and the uniform one on 0 to 1. */
export function distanceFromUniform(ascending: ArrayLike<number>): number {
  const n = ascending.length;
  let distance = 0;
  for (let i = 0; i < n; i++) {
    const value = ascending[i] ?? 0;
    distance = Math.max(distance, (i + 1) / n - value, value - i / n);
  }
  return distance;
}
