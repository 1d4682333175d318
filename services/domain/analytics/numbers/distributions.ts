/** Distributions: the normal one, Kolmogorov's distance, quantiles. */

const SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

/** Below, the series of the distribution function needs few terms; above, the continued fraction does. */
const SERIES_UP_TO = 3;

/** The density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / SQRT_TWO_PI;
}

/**
 * The standard normal distribution function Φ, to about 15 digits, also far below 0
 * (Abramowitz & Stegun 1964, 26.2.11 and 26.2.14).
 */
export function normalDistribution(x: number): number {
  if (x > SERIES_UP_TO) return 1 - upperTail(x);
  if (x < -SERIES_UP_TO) return upperTail(-x);
  let term = x;
  let sum = x;
  for (let i = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * normalDensity(x);
}

const FRACTION_TERMS = 100;

function upperTail(x: number): number {
  let fraction = x;
  for (let i = FRACTION_TERMS; i >= 1; i--) fraction = x + i / fraction;
  return normalDensity(x) / fraction;
}

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
