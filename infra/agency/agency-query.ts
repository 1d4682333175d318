import { parseTime } from "#contracts/seismic-event/origin-time.ts";

/** An inclusive bound; null or absent: there is none. */
type Bound = number | null | undefined;

/**
 * Which events are wanted. Every bound is inclusive and taken literally, whatever the agency makes of
 * it; an event whose value is not known satisfies no bound on it (contract §5, §9).
 */
export type AgencyQuery = {
  /** ISO 8601 UTC, up to microseconds: the first instant. */
  readonly startTime: string;
  /** The last instant. */
  readonly endTime: string;
  readonly minMagnitude?: Bound;
  readonly maxMagnitude?: Bound;
  /** Kilometres. */
  readonly minDepth?: Bound;
  readonly maxDepth?: Bound;
  /** Degrees, −90 to 90. */
  readonly minLatitude?: Bound;
  readonly maxLatitude?: Bound;
  /** Degrees, −180 to 180; above `maxLongitude`: the box lies across the antimeridian. */
  readonly minLongitude?: Bound;
  readonly maxLongitude?: Bound;
  /** `full`: QuakeML with everything the agency has. `summary`: FDSN text, a line for each event. */
  readonly detail: "full" | "summary";
};

/** The canonical form of a query's time. @throws RangeError */
export function queryTime(text: string): string {
  const time = parseTime(text);
  if (time === null) throw new RangeError(`${JSON.stringify(text)} is not a time`);
  return time;
}
