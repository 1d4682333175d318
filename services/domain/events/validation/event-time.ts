import { parseTime, timeToMilliseconds } from "#contracts/seismic-event/time.ts";
import { isMissingWord } from "#contracts/seismic-event/written-numbers.ts";
import {
  dateOfParts,
  isDateAlone,
  isDatePart,
  severalMeanings,
  type TimePartNames,
  timeOfParts,
  timeOnDate,
  writtenTime,
} from "#contracts/seismic-event/written-times.ts";
import { choose, type EventDraft, isBlank, isGiven, keep, type Report } from "./event-draft.ts";

/** Submitters' clocks may be ahead of ours by this much. */
const FUTURE_GRACE_MS = 5 * 60 * 1000;
/** Historical catalogues reach back to the year 1000. */
const FIRST_YEAR = "1000";

const SHOWN_LENGTH = 60;
const TIME_OF_DAY = /^\s*\d{1,2}:\d/;

/** True for a time of day, whose date is in another column. */
export function isTimeOfDay(value: unknown): boolean {
  return typeof value === "string" && TIME_OF_DAY.test(value);
}

/** The canonical origin time, from the year 1000 to five minutes from now; required. */
export function readTime(
  value: unknown,
  { nowMs, missing }: { readonly nowMs: number; readonly missing: () => string },
  report: Report,
): string | null {
  const fail = (message: string) => report("time", message);
  if (value === null) return fail(missing());
  if (typeof value !== "string") return fail("must be an ISO 8601 text");
  if (isBlank(value) || isMissingWord(value.trim())) return fail(missing());
  const time = parseTime(value) ?? onlyTimeOf(value);
  if (time === null) return fail(timeFault(value));
  if (time < FIRST_YEAR) return fail("must not be before the year 1000");
  if (timeToMilliseconds(time) > nowMs + FUTURE_GRACE_MS) return fail("must not be in the future");
  return time;
}

/** The one time that a text may mean. */
function onlyTimeOf(text: string): string | null {
  const [time, ...others] = new Set(writtenTime(text).values());
  return time === undefined || others.length > 0 ? null : parseTime(time);
}

function timeFault(text: string): string {
  const readings = writtenTime(text);
  if (readings.size < 2) return `is not a valid ISO 8601 time: ${shown(text)}`;
  return `${severalMeanings(readings)}: ${shown(text)}; write it as YYYY-MM-DD, or say dateOrder of a kept upload`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}

/** The names that may have a time or a part of it. */
export type TimeKeys = {
  readonly time: readonly string[];
  readonly date: readonly string[];
  readonly timeParts: TimePartNames | null;
  readonly zoneFault: string | null;
};

/** Why an event has no time, for people. */
export function missingTime({ members }: EventDraft, { timeParts, zoneFault }: TimeKeys): string {
  if (zoneFault !== null) return `is required: ${zoneFault}`;
  const parts = [...(timeParts?.values() ?? [])].filter((key) => isGiven(members[key]));
  if (parts.length === 0) return "is required";
  const written = parts.map((key) => `${key} ${String(members[key])}`).join(", ");
  return `is required: ${written} ${parts.length > 1 ? "make" : "makes"} no date`;
}

/**
 * The time as given. A time of day alone is joined with the date from another column or from parts;
 * a date alone is a time; without either, the time comes from its parts. Unused values are kept.
 */
export function givenTime(event: EventDraft, keys: TimeKeys): unknown {
  const { members } = event;
  const timeKey = choose(event, keys.time);
  const dateKey = choose(event, keys.date);
  const time = timeKey === undefined ? null : members[timeKey];
  const date = dateKey === undefined ? null : members[dateKey];
  if (time === null && date !== null) return timeOnDay(event, keys, date);
  if (dateKey === undefined) return splitTime(event, keys, time);
  if (typeof date === "string" && isTimeOfDay(time)) {
    return unsplit(event, keys, `${date.trim()} ${String(time).trim()}`);
  }
  keep(event, dateKey);
  return unsplit(event, keys, time);
}

function splitTime(event: EventDraft, { timeParts: parts }: TimeKeys, time: unknown): unknown {
  if (parts === null) return time;
  const split = time === null ? timeOfParts(event.members, parts) : null;
  if (split !== null) return split.time;
  for (const key of parts.values()) keep(event, key);
  const date = isTimeOfDay(time) ? dateOfParts(event.members, parts) : null;
  return date === null ? time : `${date} ${String(time).trim()}`;
}

/** The time of a date, with the time of day from parts; null where that is in a zone that is not read. */
function timeOnDay(event: EventDraft, keys: TimeKeys, date: unknown): unknown {
  const { timeParts: parts, zoneFault } = keys;
  const split = parts === null ? null : timeOnDate(event.members, parts, date);
  if (split === null) {
    const isElsewhere = zoneFault !== null && typeof date === "string" && isDateAlone(date);
    return isElsewhere ? null : unsplit(event, keys, date);
  }
  for (const [part, key] of parts ?? []) if (isDatePart(part)) keep(event, key);
  return split.time;
}

/** A time that needs no parts, which are then kept. */
function unsplit(event: EventDraft, { timeParts }: TimeKeys, time: unknown): unknown {
  for (const key of timeParts?.values() ?? []) keep(event, key);
  return time;
}
