import type { FragmentSqlToken } from "slonik";
import { z } from "zod";
import { trimEnd } from "#infra/kernel/trim-end.ts";
import type { EventKey } from "./event-cursor.ts";
import { mostBytes, writeEvent } from "./event-json.ts";
import { PAGE_COLUMNS, PAGE_COLUMNS_WITH_SOURCES } from "./event-rows.ts";

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

export type EventWriter = {
  /** Does not keep the line. */
  readonly add: (line: Buffer) => void;
  readonly finish: () => WrittenEvents;
};

/** One that may have left the largest events for its end. */
export type PageWriter = Pick<EventWriter, "add"> & {
  readonly finish: () => WrittenEvents | Promise<WrittenEvents>;
};

/** A page of events that were collected one by one with their keys. */
export function collectedPage(
  pieces: readonly Buffer[],
  keys: readonly EventKey[],
  reversed: boolean,
  more: boolean,
): WrittenEvents {
  const ends = [keys.at(0) ?? null, keys.at(-1) ?? null] as const;
  const [first, last] = reversed ? [ends[1], ends[0]] : ends;
  const json = reversed ? pieces.toReversed() : pieces;
  return { json, count: json.length, first, last, more };
}

/** How the events of a page are written, and the columns that this takes. */
export type PageForm = {
  readonly columns: FragmentSqlToken;
  /** @param reversed the lines come in the opposite order of the page */
  readonly createWriter: (limit: number, reversed: boolean) => PageWriter;
};

/** As lists of the API have them. */
export const AS_EVENTS: PageForm = { columns: PAGE_COLUMNS, createWriter: createEventWriter };

/** As lists have them with the members of merged events. */
export const AS_EVENTS_WITH_SOURCES: PageForm = {
  columns: PAGE_COLUMNS_WITH_SOURCES,
  createWriter: (limit, reversed) => createEventWriter(limit, reversed, true),
};

/** Size of the first block, doubled for each further one up to the maximum; larger for a larger event. */
const FIRST_BLOCK_BYTES = 16 * 1024;
const MAX_BLOCK_BYTES = 128 * 1024;
const COMMA = 0x2c;

/**
 * Writes the events of COPY lines of `PAGE_COLUMNS` as they arrive; lines beyond `limit` only set `more`.
 * @param reversed the lines come in the opposite order of the page
 * @param withSources the lines are of `PAGE_COLUMNS_WITH_SOURCES`
 */
export function createEventWriter(
  limit: number,
  reversed: boolean,
  withSources = false,
): EventWriter {
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
    block = blockAfter(block, bytes);
    start = 0;
    end = 0;
  }

  return {
    add(line) {
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
    finish() {
      close();
      const to = count === 0 ? null : keyOf(block, latest, end);
      const [first, last] = reversed ? [to, begin] : [begin, to];
      return { json: reversed ? pieces.reverse() : pieces, count, first, last, more };
    },
  };
}

function blockAfter(block: Buffer, bytes: number): Buffer<ArrayBuffer> {
  const twice = Math.min(2 * block.length, MAX_BLOCK_BYTES);
  return Buffer.allocUnsafeSlow(Math.max(FIRST_BLOCK_BYTES, twice, bytes));
}

const Keyed = z.object({ magnitude: z.number().nullable(), time: z.string(), id: z.string() });

/** The key of a written event, with PostgreSQL's text of its time. */
export function keyOf(block: Buffer, start: number, end: number): EventKey {
  const event: unknown = JSON.parse(block.toString("utf8", start, end));
  const { magnitude, time, id } = Keyed.parse(event);
  return { magnitude, time: postgresTime(time), id };
}

/** Without trailing zeros in the fraction. */
function postgresTime(time: string): string {
  const [date, clock = ""] = time.slice(0, -1).split("T");
  return `${date} ${clock.includes(".") ? trimEnd(trimEnd(clock, "0"), ".") : clock}+00`;
}
