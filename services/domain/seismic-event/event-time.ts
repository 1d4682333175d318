import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import {
  dateOfParts,
  type TimePartNames,
  timeOfParts,
} from "#contracts/seismic-event/split-time.ts";
import { choose, type GivenEvent, keep } from "./given-event.ts";
import { isBlank } from "./text.ts";
import type { Report } from "./validation-result.ts";

/** Submitters' clocks may be ahead of ours by this much. */
const FUTURE_GRACE_MS = 5 * 60 * 1000;
/** Historical catalogues reach back to the year 1000. */
const FIRST_YEAR = "1000";

const TIME_OF_DAY = /^\s*\d{1,2}:\d/;

/** True for a time of day, whose date is in another column. */
export function isTimeOfDay(value: unknown): boolean {
  return typeof value === "string" && TIME_OF_DAY.test(value);
}

/** The canonical origin time, from the year 1000 to five minutes from now; required. */
export function readTime(value: unknown, nowMs: number, report: Report): string | null {
  const fail = (message: string) => report("time", message);
  if (value === null || (typeof value === "string" && isBlank(value))) return fail("is required");
  if (typeof value !== "string") return fail("must be an ISO 8601 text");
  const time = parseTime(value);
  if (time === null) return fail("is not a valid ISO 8601 time");
  if (time < FIRST_YEAR) return fail("must not be before the year 1000");
  if (timeToMilliseconds(time) > nowMs + FUTURE_GRACE_MS) return fail("must not be in the future");
  return time;
}

/** The names that may have a time or a part of it. */
export type TimeKeys = {
  readonly time: readonly string[];
  readonly date: readonly string[];
  readonly timeParts: TimePartNames | null;
};

/**
 * The time as given. A time of day alone is joined with the date from another column or from parts;
 * a date alone is a time; without either, the time comes from its parts. Unused values are kept.
 */
export function givenTime(event: GivenEvent, keys: TimeKeys): unknown {
  const { given } = event;
  const timeKey = choose(event, keys.time);
  const dateKey = choose(event, keys.date);
  const time = timeKey === undefined ? null : given[timeKey];
  const date = dateKey === undefined ? null : given[dateKey];
  if (time === null && date !== null) return unsplit(event, keys, date);
  if (dateKey === undefined) return splitTime(event, keys, time);
  if (typeof date === "string" && isTimeOfDay(time)) {
    return unsplit(event, keys, `${date.trim()} ${String(time).trim()}`);
  }
  keep(event, dateKey);
  return unsplit(event, keys, time);
}

function splitTime(event: GivenEvent, { timeParts: parts }: TimeKeys, time: unknown): unknown {
  if (parts === null) return time;
  const split = time === null ? timeOfParts(event.given, parts) : null;
  if (split !== null) return split.time;
  for (const key of parts.values()) keep(event, key);
  const date = isTimeOfDay(time) ? dateOfParts(event.given, parts) : null;
  return date === null ? time : `${date} ${String(time).trim()}`;
}

/** A time that needs no parts, which are then kept. */
function unsplit(event: GivenEvent, { timeParts }: TimeKeys, time: unknown): unknown {
  for (const key of timeParts?.values() ?? []) keep(event, key);
  return time;
}
