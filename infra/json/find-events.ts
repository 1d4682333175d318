import { InvalidJson } from "./invalid-json.ts";
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  tooDeep,
} from "./scan.ts";

/** The place of a body's list `events`: its brackets, and the commas at which to cut it. */
export type EventsSpan = {
  readonly open: number;
  readonly close: number;
  readonly cuts: readonly number[];
};

const SLICE_EVENTS = 1000;
const SLICE_BYTES = 1024 * 1024;

/** Nesting depth of a body's members, and of the events in its list. */
const MEMBERS = 1;
const EVENTS = 2;

const NAME = Buffer.from("events");

/**
 * Finds the list `events` in a body's outermost object; null without one. Only faults that prevent
 * the cutting are refused here: mismatched brackets and the like appear when the pieces are parsed.
 * @throws InvalidJson
 */
export function findEvents(bytes: Buffer, start: number, maxDepth: number): EventsSpan | null {
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
      if (--depth === MEMBERS && open !== -1 && close === -1) close = closing(bytes, i);
    }
  }
  if (open === -1) return null;
  if (close === -1) throw new InvalidJson("the list of events does not end", bytes.length);
  return { open, close, cuts };
}

function closing(bytes: Buffer, index: number): number {
  if (bytes[index] !== CLOSE_LIST) throw new InvalidJson("the list of events ends with }", index);
  return index;
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
