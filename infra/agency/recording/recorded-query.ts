import { longNameOf } from "#contracts/fdsn/raw-parameters.ts";
import { isBetweenMeridians } from "#contracts/seismic-event/longitude.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { AgencyEvent } from "../agency-event.ts";

const BOUNDS = [
  "minmagnitude",
  "maxmagnitude",
  "mindepth",
  "maxdepth",
  "minlatitude",
  "maxlatitude",
  "minlongitude",
  "maxlongitude",
] as const;
type Bound = (typeof BOUNDS)[number];

/** What a request to an event service asks for, as far as recordings know it. */
export type RecordedQuery = {
  readonly format: string;
  /** Microseconds since 1970, inclusive; null for none. */
  readonly start: bigint | null;
  readonly end: bigint | null;
  readonly bounds: Readonly<Partial<Record<Bound, number>>>;
  /** All other parameters, in one order: they are the same or another question. */
  readonly rest: string;
};

/** Of a recording all is told, however old, and the status without events is 204. */
const WITHOUT_EFFECT = ["updatedafter", "nodata", "orderby"];

/** The query, or what is wrong with it. */
export function recordedQuery(given: URLSearchParams): RecordedQuery | string {
  const bounds: Partial<Record<Bound, number>> = {};
  const rest: string[] = [];
  let format = "xml";
  let start: bigint | null = null;
  let end: bigint | null = null;
  for (const [spelling, value] of given) {
    const name = longNameOf(spelling) ?? spelling;
    const bound = BOUNDS.find((one) => one === name);
    if (bound !== undefined) {
      if (!/^-?\d+(?:\.\d+)?$/.test(value)) return `${spelling} is no number`;
      bounds[bound] = Number(value);
    } else if (name === "starttime" || name === "endtime") {
      const time = parseTime(value);
      if (time === null) return `${spelling} is no time`;
      if (name === "starttime") start = timeToMicros(time);
      else end = timeToMicros(time);
    } else if (name === "format") {
      format = value;
    } else if (!WITHOUT_EFFECT.includes(name) && value !== "false") {
      rest.push(`${name}=${value}`);
    }
  }
  return { format, start, end, bounds, rest: rest.sort().join("&") };
}

/** Whether all that `wanted` asks for is in what was recorded for the filters of `recorded`. */
export function isWithinBounds(wanted: RecordedQuery, recorded: RecordedQuery): boolean {
  return BOUNDS.every((name) => {
    const [had, bound] = [recorded.bounds[name], wanted.bounds[name]];
    if (had === undefined) return true;
    if (bound === undefined) return false;
    return name.startsWith("min") ? bound >= had : bound <= had;
  });
}

/** Bounds are inclusive; an unknown value satisfies none. */
export function matches({ start, end, bounds }: RecordedQuery, event: AgencyEvent): boolean {
  const micros = timeToMicros(event.time);
  if ((start !== null && micros < start) || (end !== null && micros > end)) return false;
  const isIn = (name: "magnitude" | "depth" | "latitude"): boolean => {
    const [min, max] = [bounds[`min${name}`], bounds[`max${name}`]];
    if (min === undefined && max === undefined) return true;
    const value = event[name];
    return typeof value === "number" && value >= (min ?? value) && value <= (max ?? value);
  };
  return isIn("magnitude") && isIn("depth") && isIn("latitude") && isInLongitude(bounds, event);
}

function isInLongitude(bounds: RecordedQuery["bounds"], event: AgencyEvent): boolean {
  const { minlongitude: west, maxlongitude: east } = bounds;
  if (west === undefined && east === undefined) return true;
  const { latitude, longitude } = event;
  if (typeof latitude !== "number" || typeof longitude !== "number") return false;
  return isBetweenMeridians(west ?? -180, east ?? 180, latitude, longitude);
}
