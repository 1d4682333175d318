/** JSON of bodies: scanned as bytes, parsed whole or in slices of their events, within limits. */

import { isUtf8 } from "node:buffer";
import { parse } from "secure-json-parse";
import { Refusal } from "#contracts/errors.ts";

type JsonLimits = { readonly maxDepth: number };

export const DEFAULT_LIMITS: JsonLimits = { maxDepth: 64 };

/** The position in V8's messages, in UTF-16 units of the parsed text. */
const POSITION = /at position (\d+)/;

/**
 * Parses a whole JSON body in UTF-8; a byte order mark is ignored. Members that would set a
 * prototype (`__proto__`, `constructor.prototype`) are refused.
 * @throws InvalidJson
 */
export function parseJson(bytes: Buffer, { maxDepth }: JsonLimits = DEFAULT_LIMITS): unknown {
  const start = startOfText(bytes);
  checkDepth(bytes, start, maxDepth);
  return parseText(bytes.toString("utf8", start), start);
}

/**
 * Parses the text of a body that begins at byte `start`.
 * @throws InvalidJson
 */
function parseText(text: string, start: number): unknown {
  try {
    return parse(text, { protoAction: "error", constructorAction: "error" });
  } catch (cause) {
    throw invalidJson(cause, text, start);
  }
}

/** A parse error of a piece of a body, without the parser's own message, which may quote the body. */
function invalidJson(cause: unknown, text: string, start: number): InvalidJson {
  const message = cause instanceof Error ? cause.message : "";
  const units = Number(POSITION.exec(message)?.[1] ?? 0);
  const position = start + Buffer.byteLength(text.slice(0, units));
  const forbidden = message.includes("forbidden prototype");
  const reason = forbidden ? "the body holds a forbidden member" : "the body is not valid JSON";
  return new InvalidJson(reason, position, { cause });
}

/** A body, parsed in a thread: there a refusal keeps its class. @throws Refusal INVALID_JSON */
export function parseBody({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(buffer, byteOffset, byteLength));
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new Refusal("INVALID_JSON", error.message);
  }
}

/**
 * Bodies of `POST /api/catalogues` can have 100 MB, and parsing one in a single step would block
 * every other request. So its member `events` is found by scanning the bytes and parsed in slices.
 *
 * The pieces are refused exactly when parseJson would refuse the whole body: the envelope is the
 * body with `[]` for the events, and the slices are that list cut at its commas. Each piece is
 * parsed like a body. A slice without an element, which a superfluous comma makes, is refused.
 */

export type SlicedBody = {
  /** The body without its events: an object, or any other value that was sent. */
  readonly envelope: unknown;
  /** Some 1,000 or 1 MB at a time, parsed on demand: may throw InvalidJson. Null without a list. */
  readonly slices: Iterable<unknown[]> | null;
};

/**
 * Cuts a UTF-8 body into its envelope and its events. A byte order mark is ignored. A second member
 * `events` is refused, since one of the two would be lost.
 * @throws InvalidJson
 */
export function sliceEventsBody(bytes: Buffer, limits: JsonLimits = DEFAULT_LIMITS): SlicedBody {
  const start = startOfText(bytes);
  const span = findEvents(bytes, start, limits.maxDepth);
  if (span === null) {
    return { envelope: parseText(bytes.toString("utf8", start), start), slices: null };
  }
  const whole = parseAround(bytes, start, span);
  const envelope =
    typeof whole === "object" && whole !== null
      ? Object.fromEntries(Object.entries(whole).filter(([name]) => name !== "events"))
      : whole;
  return { envelope, slices: slicesOf(bytes, span) };
}

/** Parses the body with an empty list for its events; a fault has its place in the whole body. */
function parseAround(bytes: Buffer, start: number, { open, close }: EventsSpan): unknown {
  const before = bytes.toString("utf8", start, open);
  const after = bytes.toString("utf8", close + 1);
  try {
    return parseText(`${before}[]${after}`, start);
  } catch (error) {
    if (!(error instanceof InvalidJson) || error.position < open + 2) throw error;
    const { cause, reason, position } = error;
    throw new InvalidJson(reason, position + close - open - 1, { cause });
  }
}

function* slicesOf(bytes: Buffer, { open, close, cuts }: EventsSpan): Generator<unknown[]> {
  const ends = [...cuts, close];
  let from = open + 1;
  for (const end of ends) {
    const text = `[${bytes.toString("utf8", from, end)}]`;
    const slice = parseText(text, from - 1) as unknown[];
    if (slice.length > 0) yield slice;
    else if (ends.length > 1) throw new InvalidJson("an event is missing between commas", end);
    from = end + 1;
  }
}

const SLICE_EVENTS = 1000;
const SLICE_BYTES = 1024 * 1024;

/** Nesting depth of a body's members, and of the events in its list. */
const MEMBERS = 1;
const EVENTS = 2;

const NAME = Buffer.from("events");

/** The place of a body's list `events`: its brackets, and the commas at which to cut it. */
type EventsSpan = NonNullable<ReturnType<typeof findEvents>>;

/**
 * Finds the list `events` in a body's outermost object; null without one. Only faults that prevent
 * the cutting are refused here: mismatched brackets and the like appear when the pieces are parsed.
 * @throws InvalidJson
 */
function findEvents(bytes: Buffer, start: number, maxDepth: number) {
  const isObject = bytes[skipSpace(bytes, start)] === OPEN_OBJECT;
  const cuts: number[] = [];
  let depth = 0;
  let named = false;
  let open = -1;
  let close = -1;
  let events = 0;
  let sliceStart = 0;

  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const end = endOfString(bytes, i + 1);
      if (depth === MEMBERS && isObject && isName(bytes, i + 1, end)) {
        if (named) throw new InvalidJson("the body has two members events", i);
        named = true;
        const value = skipSpace(bytes, skipSpace(bytes, end + 1) + 1);
        if (bytes[value] === OPEN_LIST) open = value;
      }
      i = end;
    } else if (byte === COMMA) {
      if (depth !== EVENTS || open === -1 || close !== -1 || i < open) continue;
      if (++events < SLICE_EVENTS && i - sliceStart < SLICE_BYTES) continue;
      cuts.push(i);
      events = 0;
      sliceStart = i;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > maxDepth) throw tooDeep(maxDepth, i);
      if (i === open) sliceStart = i;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (--depth === MEMBERS && open !== -1 && close === -1) {
        if (byte !== CLOSE_LIST) throw new InvalidJson("the list of events ends with }", i);
        close = i;
      }
    }
  }
  if (open === -1) return null;
  if (close === -1) throw new InvalidJson("the list of events does not end", bytes.length);
  return { open, close, cuts };
}

/** True when the string from `start` to `end` is a member's name that spells "events", escaped or not. */
function isName(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[skipSpace(bytes, end + 1)] !== COLON) return false;
  const raw = bytes.subarray(start, end);
  return raw.equals(NAME) || (raw.includes(BACKSLASH) && unescaped(raw) === "events");
}

/** Null for invalid strings, which the piece's parser will report. */
function unescaped(raw: Buffer): unknown {
  try {
    return JSON.parse(`"${raw.toString("utf8")}"`);
  } catch {
    return null;
  }
}

/** Scans JSON bytes without parsing. In UTF-8, the bytes of longer characters are never ASCII. */

export const NEWLINE = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** From this length on the native search repays its call (measured: 30 to 60 bytes). */
const SHORT_STRING_BYTES = 48;

/**
 * Start of the text, after a byte order mark, which some clients send and RFC 8259 allows us to
 * ignore.
 * @throws InvalidJson when the bytes are not UTF-8
 */
function startOfText(bytes: Buffer): number {
  if (!isUtf8(bytes)) throw new InvalidJson("the body is not valid UTF-8", 0);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Index of the next byte that is not white space, at most `bytes.length`. */
function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while (i < bytes.length && isSpace(bytes[i])) i++;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Index of the quote that ends the string whose first byte is at `start`.
 * @throws InvalidJson without one
 */
function endOfString(bytes: Buffer, start: number): number {
  const near = Math.min(start + SHORT_STRING_BYTES, bytes.length);
  let i = start;
  while (i < near) {
    const byte = bytes[i];
    if (byte === QUOTE) return i;
    i += byte === BACKSLASH ? 2 : 1;
  }
  return farEndOfString(bytes, i);
}

/** A quote ends the string after an even number of backslashes. */
function farEndOfString(bytes: Buffer, start: number): number {
  let from = start;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) throw new InvalidJson("a string does not end", bytes.length);
    let run = quote;
    while (run > from && bytes[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote;
    from = quote + 1;
  }
}

function tooDeep(maxDepth: number, position: number): InvalidJson {
  return new InvalidJson(`the body is nested deeper than ${maxDepth} levels`, position);
}

/** @throws InvalidJson when brackets are nested deeper than `maxDepth` or a string does not end */
export function checkDepth(bytes: Buffer, start: number, maxDepth: number): void {
  let depth = 0;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i + 1);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > maxDepth) throw tooDeep(maxDepth, i);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
  }
}

/** A body is not JSON, or is JSON that this service refuses; `position` is the byte of the fault. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
  readonly reason: string;
  readonly position: number;

  constructor(reason: string, position: number, options: { cause?: unknown } = {}) {
    super(`${reason} (at byte ${position})`, options);
    this.reason = reason;
    this.position = position;
  }
}
