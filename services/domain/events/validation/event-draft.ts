/**
 * An event that is being read: what was wrong with it, what is kept of its further members, and
 * its texts and structures within their limits.
 */

import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
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

/** A problem with one attribute: `field` is its canonical name, `message` continues a sentence. */
export type FieldError = { readonly field: string; readonly message: string };

/** `id` is the submitter's own identifier of a refused event, if readable. */
export type ValidatedEvent =
  | { readonly ok: true; readonly record: SeismicEventRecord }
  | { readonly ok: false; readonly id?: string; readonly errors: readonly FieldError[] };

/** Receives problems; a reader returns its null, instead of a value. */
export type Report = (field: string, message: string) => null;

/** An event being read: the given members, and those to keep unchanged. */
export type EventDraft = {
  readonly members: Readonly<Record<string, unknown>>;
  readonly report: Report;
  extra: ExtraCollector | null;
};

/** The first of several names that has a value; other values are kept. */
export function choose(event: EventDraft, keys: readonly string[]): string | undefined {
  let chosen: string | undefined;
  for (const key of keys) {
    if (!isGiven(event.members[key])) continue;
    if (chosen === undefined) chosen = key;
    else keep(event, key);
  }
  return chosen;
}

export function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "string" && isBlank(value));
}

export function keep(event: EventDraft, key: string): void {
  extraOf(event).add(key, event.members[key]);
}

export function extraOf(event: EventDraft): ExtraCollector {
  event.extra ??= createExtraCollector();
  return event.extra;
}

type ExtraCollector = ReturnType<typeof createExtraCollector>;

/**
 * Collects foreign attributes of an event. A null at the top level is an absent attribute and not kept; within
 * `extra` it is kept.
 */
function createExtraCollector() {
  // Without a prototype, `__proto__` is an ordinary member until it is refused.
  const members: Record<string, unknown> = Object.create(null);
  const repeated: string[] = [];

  function set(key: string, value: unknown): void {
    if (key in members) repeated.push(key);
    members[key] = value;
  }

  function add(key: string, value: unknown): void {
    if (value !== null && value !== undefined) set(key, value);
  }

  return {
    add,
    /** Merges a given `extra`: an object, or JSON text of one. */
    merge(key: string, value: unknown): void {
      const object = typeof value === "string" ? parseObject(value) : value;
      // A file's own column `extra` may contain anything and is kept like any other foreign column.
      if (!isPlainObject(object)) add(key, value);
      else for (const [name, item] of Object.entries(object)) set(name, item);
    },
    /** Everything collected, null without any; problems are reported. */
    finish(report: Report): JsonObject | null {
      for (const key of repeated) report("extra", `gives ${JSON.stringify(key)} twice`);
      const fault = structureFault(members);
      if (fault !== null) return report("extra", fault);
      return Object.keys(members).length > 0 ? ({ ...members } as JsonObject) : null;
    },
  };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** PostgreSQL's text cannot hold NUL, UTF-8 no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function isBlank(text: string): boolean {
  return text.length === 0 || (text.charCodeAt(0) <= 32 && text.trim() === "");
}

/**
 * Text as given; blank text becomes null. Identifiers that a file reader took for numbers become
 * text again. A number beyond 2⁵³ is refused: it has lost digits, and two ids may have become equal.
 */
export function readText(
  field: string,
  maxLength: number,
  value: unknown,
  report: Report,
): string | null {
  if (typeof value === "number") return textOfNumber(field, value, report);
  if (typeof value !== "string") return report(field, "must be a text");
  if (isBlank(value)) return null;
  if (value.length > maxLength) {
    return report(field, `must not be longer than ${maxLength} characters`);
  }
  return isStorable(value) ? value : report(field, "holds characters that cannot be stored");
}

function textOfNumber(field: string, value: number, report: Report): string | null {
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return report(field, "is a number too large to be exact; give it as text");
}

/** The values of an enumeration by their lower-case form, for `readEnumeration`. */
export function enumerationOf(values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(values.map((value) => [value.toLowerCase(), value]));
}

/** The standard's spelling of a value; case is ignored and underscores count as spaces. */
export function readEnumeration(
  field: string,
  values: ReadonlyMap<string, string>,
  value: unknown,
  report: Report,
): string | null {
  if (typeof value !== "string") return report(field, "must be a text");
  const exact = values.get(value);
  if (exact !== undefined) return exact;
  const text = value.trim().replaceAll("_", " ");
  if (text === "") return null;
  return values.get(text.toLowerCase()) ?? report(field, "is none of the values known for it");
}

/** Limits of each structured attribute: size of its JSON in UTF-8 bytes, and nesting. */
export const MAX_STRUCTURE_BYTES = 64 * 1024;
export const MAX_STRUCTURE_DEPTH = 32;

/** The longest number in JSON, `-1.2345678901234567e-300`, and a comma. */
const NUMBER_BYTES = 25;
/** A UTF-16 unit is at most `\u0000` in JSON. */
const BYTES_PER_UNIT = 6;

/** A plain object, as in JSON: not a list or an instance of a class. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Why a structure cannot be stored unchanged, or null. `__proto__` is refused as a name, because
 * copying such a member would set a prototype.
 */
export function structureFault(value: object): string | null {
  const walked = walk(value, 1);
  if (typeof walked === "string") return walked;
  if (walked <= MAX_STRUCTURE_BYTES) return null;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes <= MAX_STRUCTURE_BYTES
    ? null
    : `must not be larger than ${MAX_STRUCTURE_BYTES} bytes of JSON`;
}

/**
 * The first problem, or an upper bound of the bytes: an exact count would serialise the JSON every
 * time.
 */
function walk(value: unknown, depth: number): string | number {
  if (typeof value === "string") return walkText(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? NUMBER_BYTES : "holds a number that is not finite";
  }
  if (value === null || typeof value === "boolean") return BYTES_PER_UNIT;
  if (!Array.isArray(value) && !isPlainObject(value)) return "holds something other than JSON";
  if (depth > MAX_STRUCTURE_DEPTH) {
    return `must not be nested deeper than ${MAX_STRUCTURE_DEPTH} levels`;
  }
  return Array.isArray(value) ? walkList(value, depth) : walkObject(value, depth);
}

function walkText(text: string): string | number {
  if (!isStorable(text)) return "holds characters that cannot be stored";
  return text.length * BYTES_PER_UNIT + 3;
}

function walkList(list: readonly unknown[], depth: number): string | number {
  let bytes = 3;
  for (const item of list) {
    const walked = walk(item, depth + 1);
    if (typeof walked === "string") return walked;
    bytes += walked;
  }
  return bytes;
}

function walkObject(object: object, depth: number): string | number {
  let bytes = 3;
  for (const [key, item] of Object.entries(object)) {
    if (key === "__proto__") return "must not hold the name __proto__";
    const name = walkText(key);
    if (typeof name === "string") return name;
    const walked = walk(item, depth + 1);
    if (typeof walked === "string") return walked;
    bytes += name + walked + 1;
  }
  return bytes;
}

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
