/**
 * Bodies of `POST /api/catalogues` can have 100 MB, and parsing one in a single step would block
 * every other request. So its member `events` is found by scanning the bytes and parsed in slices.
 *
 * The pieces are refused exactly when parseJson would refuse the whole body: the envelope is the
 * body with `[]` for the events, and the slices are that list cut at its commas. Each piece is
 * parsed like a body. A slice without an element, which a superfluous comma makes, is refused.
 */

import { type EventsSpan, findEvents } from "./find-events.ts";
import { InvalidJson } from "./invalid-json.ts";
import { DEFAULT_LIMITS, type JsonLimits, parseText } from "./parse-json.ts";
import { startOfText } from "./scan.ts";

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
  const envelope = parseAround(bytes, start, span);
  return { envelope: withoutEvents(envelope), slices: slicesOf(bytes, span) };
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

function withoutEvents(envelope: unknown): unknown {
  if (typeof envelope !== "object" || envelope === null) return envelope;
  return Object.fromEntries(Object.entries(envelope).filter(([name]) => name !== "events"));
}

function* slicesOf(bytes: Buffer, { open, close, cuts }: EventsSpan): Generator<unknown[]> {
  const ends = [...cuts, close];
  let from = open + 1;
  for (const end of ends) {
    const slice = parseSlice(bytes, from, end);
    if (slice.length > 0) yield slice;
    else if (ends.length > 1) throw new InvalidJson("an event is missing between commas", end);
    from = end + 1;
  }
}

function parseSlice(bytes: Buffer, from: number, end: number): unknown[] {
  return parseText(`[${bytes.toString("utf8", from, end)}]`, from - 1) as unknown[];
}
