/**
 * Bodies of `POST /api/catalogues` are up to 100 MB, and parsing one whole would hold up every other
 * request. So its member `events` is found by scanning the bytes and parsed slice by slice.
 *
 * Together the pieces are refused exactly when parseJson refuses the whole: the body is the rest
 * with `[]` for the events, and the slices are that list cut at its commas. Each piece is parsed as
 * a body is, and a slice without an element, which a comma too many makes, is refused.
 */
import { type EventsSpan, findEvents } from "./find-events.ts";
import { InvalidJson } from "./invalid-json.ts";
import { DEFAULT_LIMITS, type JsonLimits, parseText } from "./parse-json.ts";
import { startOfText } from "./scan.ts";

export type SlicedBody = {
  /** The body without its events: an object, or whatever else was sent. */
  readonly envelope: unknown;
  /**
   * The events, about 1,000 or 1 MB at a time, parsed when they are asked for; that is when a fault in
   * one throws InvalidJson. Null when the body has no `events`, or something else than a list.
   */
  readonly slices: Iterable<unknown[]> | null;
};

/**
 * Cuts a body in UTF-8 at its events. A byte order mark is ignored, a second member `events` refused
 * (one of the two would be lost).
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

/** The body with an empty list in the place of its events; a fault is told at its place in the body. */
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
