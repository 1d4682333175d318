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
