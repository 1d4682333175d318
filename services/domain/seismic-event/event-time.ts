import { parseTime, timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
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
  const fail = (message: string) => {
    report("time", message);
    return null;
  };
  if (value === null || (typeof value === "string" && isBlank(value))) return fail("is required");
  if (typeof value !== "string") return fail("must be an ISO 8601 text");
  const time = parseTime(value);
  if (time === null) return fail("is not a valid ISO 8601 time");
  if (time < FIRST_YEAR) return fail("must not be before the year 1000");
  if (timeToMilliseconds(time) > nowMs + FUTURE_GRACE_MS) return fail("must not be in the future");
  return time;
}
