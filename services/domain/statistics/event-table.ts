import { DAY_MS } from "#contracts/units.ts";

/** Events by column, in order of time, then id. All have a magnitude. */
export type EventTable = {
  readonly length: number;
  /** Milliseconds since 1970, with fractions. */
  readonly times: Float64Array;
  /** Degrees. */
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  /** Kilometres; NaN where unknown. */
  readonly depths: Float64Array;
  readonly magnitudes: Float64Array;
};

/** Of 365.25 days. */
export const YEAR_MS = 365.25 * DAY_MS;
