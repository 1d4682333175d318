/**
 * An event that is being read: what was wrong with it, what is kept of its further members, and
 * its texts and structures within their limits.
 */

import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

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
