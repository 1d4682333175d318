import { parseTime } from "#contracts/seismic-event/origin-time.ts";

/** An inclusive bound; null or absent for none. */
type Bound = number | null | undefined;

/** Every bound is inclusive, however the agency treats it; an unknown value satisfies none. */
export type AgencyQuery = {
  /** First instant; ISO 8601 UTC, up to microseconds. */
  readonly startTime: string;
  /** Last instant. */
  readonly endTime: string;
  readonly minMagnitude?: Bound;
  readonly maxMagnitude?: Bound;
  /** Kilometres. */
  readonly minDepth?: Bound;
  readonly maxDepth?: Bound;
  /** Degrees, −90 to 90. */
  readonly minLatitude?: Bound;
  readonly maxLatitude?: Bound;
  /** Degrees, −180 to 180. Above `maxLongitude`, the box crosses the antimeridian. */
  readonly minLongitude?: Bound;
  readonly maxLongitude?: Bound;
  /** `full`: QuakeML with everything the agency has. `summary`: FDSN text, one line per event. */
  readonly detail: "full" | "summary";
};

/** A query's time in canonical form. @throws RangeError */
export function queryTime(text: string): string {
  const time = parseTime(text);
  if (time === null) throw new RangeError(`${JSON.stringify(text)} is not a time`);
  return time;
}
