/** A page of events: the cursor that leads to it, and how its events are written. */

import type { FragmentSqlToken } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { FeatureQuery, featureFiltersOf } from "#contracts/http/clients.ts";
import { EVENTS_LIMITS } from "#contracts/http/events.ts";
import { type EventFilters, filterTexts } from "#contracts/query/filters.ts";
import { EventOrder, FilterTexts } from "#contracts/query/parameters.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { MIB } from "#contracts/units.ts";
import { QUICK_BULLETIN_BYTES } from "#infra/bulletins/packed-bulletin.ts";
import {
  ANSWERED_FIELDS,
  createMembersWriter,
  isTextField,
  memberHead,
} from "#infra/formats/json/writer.ts";
import { trimEnd } from "#infra/kernel/texts.ts";
import { readTextRow } from "#infra/postgres/copy/copied.ts";
import { toIsoTime, withCopiedBulletin } from "./copied-rows.ts";
import { fromCursorText, invalidCursor, toCursorText } from "./lists.ts";
import {
  PAGE_COLUMNS,
  PAGE_COLUMNS_WITH_BOTH,
  PAGE_COLUMNS_WITH_BULLETINS,
  PAGE_COLUMNS_WITH_SOURCES,
} from "./versions.ts";

/** PostgreSQL's text of a time in UTC; it does not accept all forms that parseTime does. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

/** An event's place in an order. `time` is PostgreSQL's text, exact to the microsecond. */
export const EventKey = z.strictObject({
  magnitude: z.number().nullable(),
  time: z.string().refine((text) => TIMESTAMP.test(text) && parseTime(text) !== null),
  id: z.uuid(),
});
export type EventKey = z.infer<typeof EventKey>;

/** Above any version: the maximum of PostgreSQL's `integer`. */
const VERSION_MAX = 2 ** 31 - 1;

/** The filters in a cursor, as texts of a query string. */
export const CursorFilters = {
  filters: FilterTexts,
  /** What the region among them was at the beginning. */
  regionRevision: z.string().optional(),
  features: FeatureQuery.optional(),
};

/**
 * The state of a walk at a page: selection, order, version, and the start of the page. `side` tells
 * whether the page lies before or after `key` in the order of the walk.
 */
const EventCursor = z.strictObject({
  walk: z.enum(["events", "filtered", "features"]),
  catalogueId: z.uuid(),
  version: z.int().min(1).max(VERSION_MAX),
  order: EventOrder,
  ...CursorFilters,
  key: EventKey,
  side: z.enum(["after", "before"]),
  /** Events per page, unless the request has its own limit. */
  limit: z.int().min(1).max(EVENTS_LIMITS.filteredLimit.max),
});
export type EventCursor = z.infer<typeof EventCursor>;

export function encodeCursor(
  cursor: Omit<EventCursor, "filters"> & { readonly filters: EventFilters },
): string {
  return toCursorText({ ...cursor, ...toCursorFilters(cursor.filters) });
}

/** @throws Refusal INVALID_CURSOR */
export function decodeCursor(text: string): EventCursor {
  return fromCursorText(text, EventCursor);
}

type CursorFilters = z.output<z.ZodObject<typeof CursorFilters>>;

export function toCursorFilters(filters: EventFilters) {
  const { regionArea, features } = filters;
  return {
    filters: filterTexts(filters),
    ...(features && { features: features.texts }),
    ...(regionArea && { regionRevision: regionArea.revision }),
  };
}

/**
 * The filters of a cursor.
 * @param request filters that stand beside it again, and the region that it names as it is now
 * @throws Refusal INVALID_CURSOR where they differ, or the region has changed meanwhile
 */
export function filtersOfCursor(
  { filters: parameters, features, regionRevision }: CursorFilters,
  request: EventFilters,
): EventFilters {
  const filters = { ...parameters, ...(features && featureFiltersOf(features)) };
  const known = { ...filterTexts(filters), ...filters.features?.texts };
  const repeated = Object.entries({ ...filterTexts(request), ...request.features?.texts });
  if (!repeated.every(([name, value]) => known[name] === value)) throw invalidCursor();
  if (filters.region === undefined) return filters;
  const { regionArea } = request;
  if (regionArea?.revision === regionRevision && regionArea) return { ...filters, regionArea };
  throw invalidCursor("The region has changed since the first page");
}

/** A page's events in order, and the keys of its first and last. */
export type WrittenEvents = {
  /** UTF-8 JSON in the API's form for lists: pieces of one or more events, with commas between. */
  readonly json: readonly Buffer[];
  readonly count: number;
  readonly first: EventKey | null;
  readonly last: EventKey | null;
  /** Whether there was a row beyond the limit. */
  readonly more: boolean;
};

export const NO_EVENTS: WrittenEvents = {
  json: [],
  count: 0,
  first: null,
  last: null,
  more: false,
};

type PageWriter = {
  /** Does not keep the line. */
  readonly add: (line: Buffer) => void;
  /** Writes what it has left for the end, as the largest events. */
  readonly finish: () => WrittenEvents | Promise<WrittenEvents>;
};

/** How the events of a page are written, and the columns that this takes. */
export type PageForm = {
  readonly columns: FragmentSqlToken;
  /** @param reversed the lines come in the opposite order of the page */
  readonly createWriter: (limit: number, reversed: boolean) => PageWriter;
};

const members = createMembersWriter(ANSWERED_FIELDS);

const FIELDS = [...ANSWERED_FIELDS, "source_count", "source_events"];
/** Left out where there are none. */
const SOURCES = FIELDS.length - 1;

const TIME = ANSWERED_FIELDS.indexOf("time");

const NOT_PLAIN = -1;

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const CAPITAL_N = 0x4e;
const CAPITAL_T = 0x54;
const CAPITAL_Z = 0x5a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const DATE = "2016-11-13".length;
const SECONDS = "2016-11-13 11:02:56".length;

const IS_TEXT = FIELDS.map(isTextField);

/** The text before each value, including a text's opening quote, concatenated. */
const HEADS = sideBySide((head, field) => (isTextField(field) ? `${head}"` : head));
/** The same with `null` as the value. */
const NULLS = sideBySide((head) => `${head}null`);

/** Size of the first block, doubled for each further one up to the maximum; larger for a larger event. */
const FIRST_BLOCK_BYTES = 16 * 1024;
const MAX_BLOCK_BYTES = 128 * 1024;

/** As lists of the API have them. */
export const AS_EVENTS: PageForm = { columns: PAGE_COLUMNS, createWriter: createEventWriter };

/** As lists have them with the members of merged events. */
export const AS_EVENTS_WITH_SOURCES: PageForm = {
  columns: PAGE_COLUMNS_WITH_SOURCES,
  createWriter: (limit, reversed) => createEventWriter(limit, reversed, true),
};

/**
 * Writes the events of COPY lines of `PAGE_COLUMNS` as they arrive; lines beyond `limit` only set `more`.
 * @param reversed the lines come in the opposite order of the page
 * @param withSources the lines are of `PAGE_COLUMNS_WITH_SOURCES`
 */
export function createEventWriter(limit: number, reversed: boolean, withSources = false) {
  const pieces: Buffer[] = [];
  let block = Buffer.alloc(0);
  let start = 0;
  let end = 0;
  let count = 0;
  let more = false;
  let begin: EventKey | null = null;
  /** Offset of the latest event. */
  let latest = 0;

  function close(): void {
    if (end > start) pieces.push(block.subarray(start, end));
    start = end;
  }

  function makeRoom(bytes: number): void {
    if (end + bytes <= block.length) return;
    close();
    const twice = Math.min(2 * block.length, MAX_BLOCK_BYTES);
    block = Buffer.allocUnsafeSlow(Math.max(FIRST_BLOCK_BYTES, twice, bytes));
    start = 0;
    end = 0;
  }

  return {
    add(line: Buffer) {
      if (count === limit) {
        more = true;
        return;
      }
      count += 1;
      makeRoom(1 + mostBytes(line));
      if (end > start) block[end++] = COMMA;
      latest = end;
      end = writeEvent(line, block, end, withSources);
      begin ??= keyOf(block, latest, end);
      if (reversed) close();
    },
    finish(): WrittenEvents {
      close();
      const to = count === 0 ? null : keyOf(block, latest, end);
      const [first, last] = reversed ? [to, begin] : [begin, to];
      return { json: reversed ? pieces.reverse() : pieces, count, first, last, more };
    },
  };
}

const Keyed = z.object({ magnitude: z.number().nullable(), time: z.string(), id: z.string() });

/** The key of a written event, with PostgreSQL's text of its time. */
function keyOf(block: Buffer, start: number, end: number): EventKey {
  const event: unknown = JSON.parse(block.toString("utf8", start, end));
  const { magnitude, time, id } = Keyed.parse(event);
  return { magnitude, time: postgresTime(time), id };
}

/** Without trailing zeros in the fraction. */
function postgresTime(time: string): string {
  const [date, clock = ""] = time.slice(0, -1).split("T");
  return `${date} ${clock.includes(".") ? trimEnd(trimEnd(clock, "0"), ".") : clock}+00`;
}

/** An event whose bulletin takes long to be read and written. */
export type LargeEvent = {
  /** Its JSON without the bulletin. */
  readonly event: string;
  /** The bulletin as COPY writes it. */
  readonly source: Uint8Array;
  /** Of the bulletin's JSON. */
  readonly bytes: number;
};

/** Makes the event's JSON while others have their turn. @throws CorruptBulletin */
export type WriteLargeEvent = (event: LargeEvent) => Promise<Buffer>;

/** As lists of the API have events, with their bulletins; `withSources`: and with the members of merged ones. */
export function asWholeEvents(withSources: boolean, write: WriteLargeEvent): PageForm {
  return {
    columns: withSources ? PAGE_COLUMNS_WITH_BOTH : PAGE_COLUMNS_WITH_BULLETINS,
    createWriter: (limit, reversed) =>
      createPieceWriter(limit, reversed, (line) => wholeEvent(line, withSources, write)),
  };
}

/** A page is collected before it is sent. One event may be larger. */
const MAX_PAGE_BYTES = 64 * MIB;
const NULL = Buffer.from("\\N");
/** COPY writes a backslash twice. */
const ESCAPE_BYTES = 1;

type Piece = {
  readonly key: EventKey;
  /** Of its JSON. */
  readonly bytes: number;
  /** The JSON, or what makes it at the end of the page. */
  readonly json: Buffer | (() => Promise<Buffer>);
};

/** Collects what `pieceOf` makes of each line, which is not kept. */
export function createPieceWriter(
  limit: number,
  reversed: boolean,
  pieceOf: (line: Buffer) => Piece,
): PageWriter {
  const pieces: Piece[] = [];
  let bytes = 0;
  let more = false;

  return {
    add(line) {
      if (pieces.length === limit) {
        more = true;
        return;
      }
      if (bytes > MAX_PAGE_BYTES) return;
      const piece = pieceOf(line);
      bytes += piece.bytes;
      pieces.push(piece);
    },
    async finish() {
      if (bytes > MAX_PAGE_BYTES && pieces.length > 1) {
        const message = `These events are larger than ${MAX_PAGE_BYTES / MIB} MiB; ask for fewer events`;
        throw new Refusal("VALIDATION_ERROR", message);
      }
      if (reversed) pieces.reverse();
      const written: Buffer[] = [];
      for (const { json } of pieces) written.push(Buffer.isBuffer(json) ? json : await json());
      const [first = null, last = first] = [pieces.at(0)?.key, pieces.at(-1)?.key];
      return { json: written, count: written.length, first, last, more };
    },
  };
}

const Counted = z.object({ bulletin_counts: z.object({ bytes: z.number() }) });

/** The line has the bulletin before the digits of its time. */
function wholeEvent(line: Buffer, withSources: boolean, write: WriteLargeEvent): Piece {
  const end = line.lastIndexOf(TAB);
  const start = line.lastIndexOf(TAB, end - 1);
  const listed = Buffer.concat([line.subarray(0, start), line.subarray(end)]);
  const out = Buffer.alloc(mostBytes(listed));
  const written = writeEvent(listed, out, 0, withSources);
  const key = keyOf(out, 0, written);
  const copied = line.subarray(start + 1, end);
  if (copied.equals(NULL)) return { json: out.subarray(0, written), key, bytes: written };
  const event = out.toString("utf8", 0, written);
  const source = copied.subarray(ESCAPE_BYTES);
  const { bytes } = Counted.parse(JSON.parse(event)).bulletin_counts;
  // A large one is written later, from a copy, since the line is not kept.
  if (bytes > QUICK_BULLETIN_BYTES) {
    const large = { event, source: Uint8Array.from(source), bytes };
    return { json: () => write(large), key, bytes };
  }
  const json = Buffer.from(withCopiedBulletin(event, source));
  return { json, key, bytes: json.length };
}

/**
 * Writes the JSON of an event from a COPY line of `PAGE_COLUMNS`, or with sources, at `at`, where
 * there must be enough room: byte by byte if nothing needs an escape, otherwise as strings.
 * Concatenating and encoding strings takes three to four times as long.
 * @returns the offset after the event
 */
function writeEvent(line: Buffer, out: Buffer, at: number, withSources: boolean): number {
  const end = writePlainLine(line, out, at, withSources ? FIELDS.length : FIELDS.length - 1);
  if (end !== NOT_PLAIN) return end;
  const row = readTextRow(line.toString("utf8", 0, line.length - 1));
  row[TIME] = toIsoTime(row[TIME] as string, Number(row.at(-1)));
  const bulletin = row.at(-2) ?? null;
  const sources = withSources ? (row[SOURCES] ?? null) : null;
  const last = sources === null ? "" : `,"source_events":${sources}`;
  const told = bulletin === null ? "" : `,${bulletin}`;
  const count = row[SOURCES - 1];
  return at + out.write(`{${members(row)},"source_count":${count}${last}${told}}`, at);
}

/** Upper bound of an event's JSON, in bytes. */
function mostBytes(line: Buffer): number {
  // A control character of one byte takes six in JSON; nothing else takes more per byte.
  return 2 * NULLS.bytes.length + 6 * line.length;
}

type SideBySide = { readonly bytes: Buffer; readonly starts: Int32Array };

function sideBySide(write: (head: string, field: string) => string): SideBySide {
  const texts = FIELDS.map((field, i) => write(memberHead(field, i), field));
  const starts = Int32Array.from([...texts, ""], (_, i) => texts.slice(0, i).join("").length);
  return { bytes: Buffer.from(texts.join("")), starts };
}

/**
 * @returns NOT_PLAIN when the line has an escape or its JSON needs one; the written bytes are then
 * invalid
 */
function writePlainLine(line: Buffer, out: Buffer, at: number, fields: number): number {
  const digits = (line[line.length - 2] ?? 0) - ZERO;
  let from = 0;
  let end = at;
  out[end++] = OPEN;
  for (let field = 0; field < fields; field++) {
    if (line[from] === BACKSLASH) {
      if (line[from + 1] !== CAPITAL_N) return NOT_PLAIN;
      if (field !== SOURCES) end = writeHead(NULLS, field, out, end);
      from += 3;
      continue;
    }
    end = writeHead(HEADS, field, out, end);
    const isText = IS_TEXT[field] === true;
    const begin = end;
    for (;;) {
      const byte = line[from++] ?? 0;
      if (byte === TAB) break;
      if (byte < SPACE || byte === BACKSLASH || (byte === QUOTE && isText)) return NOT_PLAIN;
      out[end++] = byte;
    }
    if (field === TIME) end = endTime(out, begin, end, digits);
    if (isText) out[end++] = QUOTE;
  }
  end = writeBulletin(line, from, out, end);
  out[end++] = CLOSE;
  return end;
}

/** What is told of the bulletin is JSON already, without anything that COPY escapes. */
function writeBulletin(line: Buffer, start: number, out: Buffer, at: number): number {
  if (line[start] === BACKSLASH) return at;
  let end = at;
  out[end++] = COMMA;
  const stop = line.indexOf(TAB, start);
  for (let from = start; from < stop; from++) out[end++] = line[from] ?? 0;
  return end;
}

function writeHead({ bytes, starts }: SideBySide, field: number, out: Buffer, at: number): number {
  const stop = starts[field + 1] ?? 0;
  let end = at;
  for (let i = starts[field] ?? 0; i < stop; i++) out[end++] = bytes[i] ?? 0;
  return end;
}

/** Converts PostgreSQL's time with its zone, as written, to ISO 8601; see toIsoTime. */
function endTime(out: Buffer, begin: number, stop: number, digits: number): number {
  let end = begin + SECONDS;
  out[begin + DATE] = CAPITAL_T;
  if (digits > 0) {
    const isFraction = out[end] === DOT;
    out[end++] = DOT;
    if (isFraction) while (end < stop && out[end] !== PLUS) end++;
    const full = begin + SECONDS + 1 + digits;
    while (end < full) out[end++] = ZERO;
  }
  out[end++] = CAPITAL_Z;
  return end;
}
