/** Rows of a file joined to the events of a version that they are about. */

import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Client } from "pg";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { MAX_LISTED_UNMATCHED, type UnmatchedRow } from "#contracts/events/imports.ts";
import { MAX_WARNINGS, type Warning } from "#contracts/http/operation.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { BulletinTooLarge, packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { copyWithBulletins, type KnownWhole } from "#projections/read/edits.ts";
import { leadsTo, readIdHolders } from "#projections/read/events.ts";
import { type Joined, type JoinedRow, joinedBulletin } from "../domain/bulletins/union.ts";
import { createBulletinView } from "./bulletin-view.ts";
import { LOOKUP, recordChanges } from "./change-writer.ts";
import { createJoinedRowReader, type ReadRow } from "./joined-row.ts";
import type { Candidate, CatalogueTarget } from "./revision-changes.ts";

export type JoinOptions = {
  /** Whether what is added becomes what its event shows. */
  readonly preferred: boolean;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** Called while it works. */
  readonly alive: () => void;
  /** Told of each row, in order, after it was looked for. */
  readonly onRow: (row: FileRow, read: ReadRow, isMatched: boolean) => void;
  /** Told of rows that their event does not take. */
  readonly onRefused: (refused: RefusedRows) => void;
};

/** Rows that add nothing to their event: its bulletin would be too large, or their picks are before its origin. */
export type RefusedRows = {
  /** The event's id, as its source calls it where that is known. */
  readonly id: string;
  readonly field: "event" | "time";
  /** A sentence about the field. */
  readonly message: string;
  /** The places of the rows in the file, from 0. */
  readonly rows: readonly number[];
};

/** What has become of the rows, once the chunks are read. */
export type RowsJoined = {
  /** What is doubtful in those that are joined, by the line; of the first. */
  readonly warnings: Warning[];
  /** Those of the first rows that are about no event. */
  readonly unmatched: UnmatchedRow[];
  readonly unmatchedCount: number;
  /** The events that rows are about, changed or not. */
  readonly events: number;
  /** Whether any row has an id. */
  readonly hasIds: boolean;
};

type Found = { readonly row: FileRow; readonly read: ReadRow };

/** Clocks and origins are not further apart, seconds. */
const MOST_BEFORE_ORIGIN_S = 10;
/** No waves of an earthquake are read later, seconds. */
const DAY_S = 86_400;
/** Events whose bulletins are read together. */
const EVENTS_AT_ONCE = 500;

/**
 * Adds what the rows of a file say to the events of a version that have their ids, as the chunks of a
 * revision: each event is changed once, whatever number of rows it has. Where nothing is new there is no
 * chunk. Rows are looked for as they are read and wait compressed for the others of their events.
 * @param connect opens a connection for look-ups
 */
export function joinRows(
  connect: () => Promise<Client>,
  target: CatalogueTarget,
  slices: Iterable<readonly FileRow[]> | AsyncIterable<readonly FileRow[]>,
  options: JoinOptions,
) {
  const { alive, nowMs, preferred, onRow, onRefused } = options;
  const additions = createGroupedAdditions();
  const { update, finish, changes } = recordChanges(target);
  const unmatched: UnmatchedRow[] = [];
  const warnings: Warning[] = [];
  const view = createBulletinView(nowMs);
  let unmatchedCount = 0;
  let eventCount = 0;
  let rowCount = 0;
  let hasIds = false;

  async function lookUp(batch: readonly Found[]): Promise<void> {
    const ids = new Set(batch.flatMap(({ read }) => (read.ok ? [read.id] : [])));
    const eventOf = await eventsById(connect, target, [...ids]);
    for (const { row, read } of batch) {
      const eventId = read.ok ? eventOf(read.id) : null;
      hasIds ||= read.ok || read.id !== undefined;
      if (read.ok && eventId !== null) {
        additions.add(eventId, { joined: read.joined, index: rowCount, line: row.line });
      }
      if (read.ok && eventId === null) {
        unmatchedCount += 1;
        if (unmatched.length < MAX_LISTED_UNMATCHED) {
          unmatched.push({ line: row.line, id: read.id });
        }
      }
      onRow(row, read, eventId !== null);
      rowCount += 1;
    }
    alive();
  }

  /** What becomes of an event; null where nothing of it is new. */
  function changed(
    { event, bulletin: kept }: KnownWhole,
    stored: Bulletin | null,
    added: readonly Addition[],
  ): Pick<Candidate, "record" | "bulletin"> | null {
    const before = stored ?? bulletinOfRow(event);
    const id = event.source_id ?? event.id;
    const origin = view.origin(before)?.time.value ?? event.time;
    const fitting = added.filter(({ joined, index, line }) => {
      const seconds = "row" in joined ? pickDelays(joined.row, origin) : [];
      const early = seconds.find((delay) => delay < -MOST_BEFORE_ORIGIN_S);
      if (early !== undefined) {
        const message = `of the pick is ${-early} s before its event's origin; ${MOST_BEFORE_ORIGIN_S} s are the most`;
        onRefused({ id, field: "time", message, rows: [index] });
      } else if (seconds.some((delay) => delay > DAY_S) && warnings.length < MAX_WARNINGS) {
        const message = `the pick is more than a day after the origin of its event ${id}`;
        warnings.push({ path: `line ${line}`, message });
      }
      return early === undefined;
    });
    if (fitting.length === 0) eventCount -= 1;
    const said = fitting.map(({ joined }) => joined);
    const after = joinedBulletin(before, said, preferred, view);
    if (after === before) return null;
    const packed = packedOr(after, (message) => {
      eventCount -= 1;
      onRefused({ id, field: "event", message, rows: fitting.map(({ index }) => index) });
    });
    const row = view.row(after);
    if (packed === null || row === null || packed.sha256 === kept?.sha256) return null;
    const { id: _id, ...record } = event;
    return { record: { ...record, ...row, source_id: record.source_id }, bulletin: packed };
  }

  async function* chunks(): AsyncGenerator<EncodedChunk> {
    for await (const batch of batchesOf(slices, createJoinedRowReader(nowMs))) await lookUp(batch);
    for (const byEvent of additions.take()) {
      eventCount += byEvent.size;
      for (const ids of piecesOf([...byEvent.keys()])) {
        const events = copyWithBulletins(await connect(), target, ids);
        for await (const { known, bulletin } of events) {
          const candidate = changed(known, bulletin, byEvent.get(known.id) ?? []);
          const chunk = candidate && update(known, candidate);
          if (chunk) yield chunk;
          alive();
        }
      }
    }
    const last = finish();
    if (last !== null) yield last;
  }

  const end = (): RowsJoined => ({
    warnings,
    unmatched,
    unmatchedCount,
    events: eventCount,
    hasIds,
  });
  return { chunks: chunks(), changes, end };
}

/** Seconds from an event's origin to the picks of a row. */
function pickDelays({ picks = [] }: JoinedRow, origin: string): number[] {
  const micros = (time: string) => timeToMicros(parseTime(time) ?? origin);
  return picks.map(({ pick }) => Number(micros(pick.time.value) - micros(origin)) / 1e6);
}

/** Null, and told, for a bulletin beyond the limits. */
function packedOr(bulletin: Bulletin, onTooLarge: (message: string) => void) {
  try {
    return packBulletin(bulletin);
  } catch (error) {
    if (!(error instanceof BulletinTooLarge)) throw error;
    onTooLarge(`its bulletin, with what is joined, ${error.message}`);
    return null;
  }
}

/**
 * A function that gives the event that has one of the ids, else the one that had it and is still there;
 * null where there is none, or where several may be meant.
 */
async function eventsById(
  connect: () => Promise<Client>,
  target: CatalogueTarget,
  ids: readonly string[],
): Promise<(id: string) => string | null> {
  if (!target.hasEvents || ids.length === 0) return () => null;
  const statements = statementsOn(await connect());
  const holders = await readIdHolders(statements, { ...target, from: 0 }, ids);
  return (id) => {
    const [event, ...others] = leadsTo(holders.get(id) ?? []);
    return event === undefined || others.length > 0 ? null : event.eventId;
  };
}

async function* batchesOf(
  slices: Iterable<readonly FileRow[]> | AsyncIterable<readonly FileRow[]>,
  read: (row: FileRow) => ReadRow,
): AsyncGenerator<Found[]> {
  let batch: Found[] = [];
  for await (const slice of slices) {
    for (const row of slice) {
      batch.push({ row, read: read(row) });
      if (batch.length < LOOKUP) continue;
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

function* piecesOf(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += EVENTS_AT_ONCE) {
    yield ids.slice(from, from + EVENTS_AT_ONCE);
  }
}

/** What a row of a file adds to an event. */
type Addition = {
  readonly joined: Joined;
  /** Its place among the rows, from 0. */
  readonly index: number;
  /** Of the file, from 1. */
  readonly line: number;
};

/** As many parts are read one after the other: of 500,000 rows, some 8,000 at once. */
const PARTS = 64;
/** Text of a part that is compressed together. */
const BLOCK_CHARACTERS = 64 * 1024;

type Line = readonly [eventId: string, joined: Joined, index: number, line: number];

type Part = { text: string[]; characters: number; readonly blocks: Buffer[] };

/**
 * Additions that come in the order of a file and are taken by event. They wait compressed, in some
 * hundredth to tenth of their size as objects.
 */
function createGroupedAdditions() {
  const parts = Array.from(
    { length: PARTS },
    (): Part => ({ text: [], characters: 0, blocks: [] }),
  );

  function close(part: Part): void {
    if (part.text.length === 0) return;
    part.blocks.push(zstdCompressSync(part.text.join("\n")));
    part.text = [];
    part.characters = 0;
  }

  return {
    /** @param eventId in hexadecimal digits at its end */
    add(eventId: string, { joined, index, line: ofFile }: Addition): void {
      const part = parts[Number.parseInt(eventId.slice(-2), 16) % PARTS] as Part;
      const line = JSON.stringify([eventId, joined, index, ofFile]);
      part.text.push(line);
      part.characters += line.length;
      if (part.characters >= BLOCK_CHARACTERS) close(part);
    },
    /** All that is known of some events, then of others; each part is given up with the next. */
    *take(): Generator<ReadonlyMap<string, readonly Addition[]>> {
      for (const part of parts) {
        close(part);
        const byEvent = new Map<string, Addition[]>();
        for (const block of part.blocks.splice(0)) {
          for (const line of zstdDecompressSync(block).toString().split("\n")) {
            const [eventId, joined, index, ofFile] = JSON.parse(line) as Line;
            const addition = { joined, index, line: ofFile };
            const before = byEvent.get(eventId);
            if (before === undefined) byEvent.set(eventId, [addition]);
            else before.push(addition);
          }
        }
        if (byEvent.size > 0) yield byEvent;
      }
    },
  };
}
