import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { YEAR_MS } from "../event-table.ts";

export type ProximityOptions = {
  /** Fractal dimension of epicentres. */
  readonly df: number;
  /** b-value of the magnitude–frequency distribution. */
  readonly b: number;
};

/** Shortest time and distance, so that events at one time or place have finite proximities. */
const MIN_MS = 1_000;
const MIN_YEARS = MIN_MS / YEAR_MS;
const MIN_KM = 0.001;
const MIN_CHORD2 = (MIN_KM / EARTH_RADIUS_KM) ** 2;
const LOG_YEAR_MS = Math.log10(YEAR_MS);
const LOG_RADIUS_KM = Math.log10(EARTH_RADIUS_KM);
const LOG10_2 = Math.log10(2);
/** More than the rounding errors of two ways to the same proximity. */
const ROUNDING = 1e-10;

/**
 * log10 η = t · r^df · 10^(−b m) of an event and an earlier one: t years, r km between epicentres, m the
 * earlier magnitude (Zaliapin & Ben-Zion 2013, eq. 1).
 */
export function logProximity(
  { df, b }: ProximityOptions,
  elapsedMs: number,
  km: number,
  magnitude: number,
): number {
  const time = Math.log10(Math.max(elapsedMs / YEAR_MS, MIN_YEARS));
  return time + df * Math.log10(Math.max(km, MIN_KM)) - b * magnitude;
}

/** At most that, for a squared chord of a sphere of radius 1; without logarithms. */
export function logProximityAtMost(
  { df, b }: ProximityOptions,
  elapsedMs: number,
  chord2: number,
  magnitude: number,
): number {
  const time = log2AtMost(Math.max(elapsedMs, MIN_MS)) * LOG10_2 - LOG_YEAR_MS;
  const distance = (log2AtMost(Math.max(chord2, MIN_CHORD2)) * LOG10_2) / 2 + LOG_RADIUS_KM;
  return time + df * distance - b * magnitude - ROUNDING;
}

const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);
/** Of the upper half of a double: its exponent begins at this bit, and is this much more. */
const EXPONENT = 2 ** 20;
const BIAS = 1023;

/**
 * At most the logarithm of a positive number to the base 2, less than 0.087 below it: exponent and mantissa of a
 * double taken for one number with a point between them, which is that logarithm with straight lines between the
 * powers of 2.
 */
function log2AtMost(value: number): number {
  number[0] = value;
  return (halves[1] ?? 0) / EXPONENT - BIAS;
}
