/** How a run of a schedule reads its window: what is new there, by what the runs before it have left. */

import type { TableReading, WithdrawnHandling, WithheldEvents } from "#contracts/events/imports.ts";
import type { EventIds } from "#contracts/seismic-event/public-ids.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { HOUR_MS } from "#contracts/units.ts";
import type { AgencyClient } from "#infra/agency/agency-client.ts";
import { FREE_BIT, fingerprintOf, idsOfRow, type PlacedEvent } from "#infra/agency/answer.ts";
import type { AgencyQuery, QuerySpan } from "#infra/agency/query.ts";
import { type AgencyBatch, type AgencyProblem, createQueryTest } from "#infra/agency/windows.ts";
import { createIdTable } from "#services/domain/events/identity.ts";
import {
  createWindowPart,
  type MillisecondSpan,
  openKnownFingerprints,
  spansOfMoved,
} from "#services/domain/imports/listing.ts";
import { createImportedReader } from "#services/domain/imports/run.ts";
import type { ReadEvent } from "./writer.ts";

/** What is new or different in one window. */
export type ReadBatch = {
  readonly events: Iterable<ReadEvent>;
  readonly errors: readonly AgencyProblem[];
  /** Events that are at the agency as they were. */
  readonly unchanged: number;
  readonly progress: AgencyBatch["progress"];
};

/** What a run of a schedule knows of those before. */
export type ScheduledRun = {
  /**
   * ISO 8601 UTC: only what the agency changed since then. Null for the whole window, which is also
   * read where the agency's dialect cannot tell what changed.
   */
  readonly updatedAfter: string | null;
  /**
   * The whole window in the query's detail, whatever `known` says. Without it too once a day, where a
   * listing does not show what changed.
   */
  readonly isThorough: boolean;
  /** What the last run returned as `known`; null for none. */
  readonly known: Uint8Array | null;
  readonly withdrawn: WithdrawnHandling;
  /** Of the events that earlier runs have withheld: how many whole runs in a row have missed them. */
  readonly missed?: WithheldEvents["missed"] | undefined;
  /** Ids of events that messages told of since: what is known of them is not what the catalogue has. */
  readonly pushed: readonly string[];
  /** How the file is read that the agency is. */
  readonly table?: TableReading;
};

export type ScheduledEnd = {
  /** What is known of the agency's events, for the next run, whatever that reads. */
  readonly known: Uint8Array;
  /** Whether the whole window has been read: false for what changed alone, for a part, and where a row had no id. */
  readonly isWhole: boolean;
  /** Events that were marked or removed. */
  readonly withdrawn: number;
  readonly withheld?: WithheldEvents | undefined;
};

export type ReadingOptions = Pick<
  ScheduledRun,
  "updatedAfter" | "isThorough" | "known" | "pushed"
> & {
  /** The agency cannot be asked for what changed: each run reads a part of the window in full, whatever moved. */
  readonly isInParts?: boolean;
  readonly updateExisting: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
};

/** Where a listing does not show every change: once a day, by a run that may be a little early. */
const THOROUGH_EVERY_MS = 23 * HOUR_MS;

/** The mark in a fingerprint of what the agency lists, but does not count as an event of the query. */
const LEFT_OUT = FREE_BIT;

/** Marks of names of events: it was dealt with in this run; the agency has it. */
const MET = 1;
const PRESENT = 2;

/** An event of a listing that is not as it was known. */
type Moved = {
  readonly key: string;
  readonly ids: EventIds;
  readonly fingerprint: bigint;
  readonly timeMs: number;
  readonly placed: PlacedEvent;
  readonly otherIds: readonly string[];
};

/**
 * Reads a query's window for a schedule: lists it in the lightest form, and asks in full for what moved alone.
 * Everything counts as moved in a run that is thorough, and what is in the part of a run that is one of several.
 */
export function createScheduledReading(
  client: Pick<AgencyClient, "listEvents" | "spansOf" | "listing">,
  query: AgencyQuery,
  options: ReadingOptions,
) {
  const { updatedAfter, updateExisting, nowMs } = options;
  const before = openKnownFingerprints(options.known);
  for (const id of options.pushed) if (before.get(id) !== 0n) before.put(id, 0n);
  const isIncrement = updatedAfter !== null;
  const next = isIncrement ? before : openKnownFingerprints(null);
  const isListingAll = client.listing.isAll(query.detail);
  const isThorough = !isIncrement && !isListingAll && (options.isThorough || isOverdue());
  // What an agency says it changed may not show in a listing, such as a further pick.
  const isEveryRowRead =
    isThorough || (isIncrement && !isListingAll && !client.listing.showsUpdates);
  const hasPart = options.isInParts === true && !isIncrement && !isListingAll && !isThorough;
  const part =
    hasPart && !client.listing.showsUpdates ? createWindowPart(before.parts, before.size()) : null;
  const names = createIdTable();
  const read = createImportedReader(nowMs);
  const isWanted = createQueryTest(query);
  let rowsWithoutId = 0;

  function isOverdue(): boolean {
    const { thoroughMs } = before;
    if (thoroughMs === null) return true;
    return !client.listing.showsUpdates && nowMs - thoroughMs >= THOROUGH_EVERY_MS;
  }

  const has = (name: string, marks: number) => (names.marks(names.place(name)) & marks) !== 0;
  const isMet = (key: string) => has(key, MET);
  /** Whether the agency has an event by one of these names. */
  const isPresent = (...ids: readonly (string | null)[]) =>
    ids.some((id) => id !== null && has(id, PRESENT));
  const mark = (name: string | null, marks: number): void => {
    if (name !== null) names.mark(names.place(name), marks);
  };

  function settle({ key, ids, otherIds }: Pick<Moved, "key" | "ids" | "otherIds">, known: bigint) {
    next.put(key, known);
    for (const name of [ids.sourceId, ids.publicId]) mark(name, MET);
    if ((known & LEFT_OUT) !== 0n) return;
    for (const name of [ids.sourceId, ids.publicId]) mark(name, PRESENT);
    // Without updates an event is never called otherwise here.
    if (!updateExisting || known === 0n) for (const name of otherIds) mark(name, PRESENT);
  }

  /** What moved among the rows of a listing, and how many rows did not. */
  function compare(rows: readonly PlacedEvent[]): { moved: Moved[]; unchanged: number } {
    const moved: Moved[] = [];
    let unchanged = 0;
    part?.extend(rows.map(timeOf));
    for (const placed of rows) {
      const ids = idsOfRow(placed.event);
      const key = ids.publicId ?? ids.sourceId;
      if (key === null) rowsWithoutId += 1;
      if (key === null || isMet(key)) continue;
      const fingerprint = fingerprintOf(placed);
      const known = before.get(key);
      const otherIds = otherIdsOf(placed, ids);
      const timeMs = timeOf(placed);
      const isRead = isEveryRowRead || part?.has(timeMs);
      if (!isRead && known !== 0n && (known & ~LEFT_OUT) === fingerprint) {
        settle({ key, ids, otherIds }, known);
        unchanged += 1;
      } else {
        moved.push({ key, ids, fingerprint, timeMs, placed, otherIds });
      }
    }
    return { moved, unchanged };
  }

  function take(placed: PlacedEvent, of: Moved | undefined): ReadEvent {
    const imported = read(placed.event);
    const { outcome, ids } = imported;
    const isThere = outcome === "event" || outcome === "error";
    if (of !== undefined) {
      settle(of, isThere ? of.fingerprint : of.fingerprint | LEFT_OUT);
    }
    if (isThere) for (const name of [ids.sourceId, ids.publicId]) mark(name, PRESENT);
    return { placed, imported, otherIds: of?.otherIds };
  }

  function* problemsOf(errors: readonly AgencyProblem[]) {
    for (const problem of errors) {
      const { sourceId, publicId } = problem;
      if (sourceId === null && publicId === null) rowsWithoutId += 1;
      for (const name of [sourceId, publicId]) mark(name, PRESENT);
      yield problem;
    }
  }

  /** Where the listing has everything: what lies beside the query's bounds is not asked for again. */
  async function* listed(signal: AbortSignal): AsyncGenerator<ReadBatch> {
    for await (const batch of list(signal)) {
      const { moved, unchanged } = compare(batch.events);
      const events = moved.map((row) => take(row.placed, row));
      const errors = [...problemsOf(batch.errors)];
      yield { events, errors, unchanged, progress: batch.progress };
    }
  }

  async function* detailed(signal: AbortSignal): AsyncGenerator<ReadBatch> {
    const eventsOf = client.spansOf(query, { signal });
    for await (const batch of list(signal)) {
      const rows = [...batch.events, ...batch.beside];
      const { moved, unchanged } = compare(rows);
      const errors = [...problemsOf(batch.errors)];
      const { progress } = batch;
      const [wanted, excluded] = split(moved);
      const events = excluded.map((row) => take(row.placed, row));
      yield { events, errors, unchanged, progress };
      const byId = rowsById(wanted);
      const aside = new Set<Moved>();
      for (const span of spansFor(wanted, rows)) {
        for await (const { events, beside, errors } of eventsOf(span)) {
          yield {
            events: events.flatMap((placed) => takeDetailed(placed, byId)),
            errors: [...problemsOf(errors)],
            unchanged: 0,
            progress,
          };
          for (const { event } of beside) {
            const row = rowOf(idsOfRow(event), byId);
            if (row !== undefined && !isWanted(event)) aside.add(row);
          }
        }
      }
      settleRest(wanted, aside);
    }
  }

  /** Events beside those that moved are read for nothing, unless the listing had not got them yet. */
  function takeDetailed(placed: PlacedEvent, byId: ReadonlyMap<string, Moved>): ReadEvent[] {
    const ids = idsOfRow(placed.event);
    const row = rowOf(ids, byId);
    if (row !== undefined) return isMet(row.key) ? [] : [take(placed, row)];
    const isListed = [ids.publicId, ids.sourceId].some((id) => id !== null && isMet(id));
    return isListed ? [] : [take(placed, undefined)];
  }

  /** What was not answered in full is outside of the query, unreadable, or asked for again the next time. */
  function settleRest(wanted: readonly Moved[], aside: ReadonlySet<Moved>): void {
    for (const row of wanted) {
      if (isMet(row.key)) continue;
      const isUnreadable = isPresent(row.ids.sourceId, row.ids.publicId);
      if (aside.has(row)) settle(row, row.fingerprint | LEFT_OUT);
      else settle(row, isUnreadable ? row.fingerprint : 0n);
    }
  }

  /** Rows that are to be asked for, and those that the listing itself excludes. */
  function split(moved: readonly Moved[]): [Moved[], Moved[]] {
    const wanted: Moved[] = [];
    const excluded: Moved[] = [];
    for (const row of moved) {
      const { outcome } = read(row.placed.event);
      (outcome === "excluded" || outcome === "rejected" ? excluded : wanted).push(row);
    }
    return [wanted, excluded];
  }

  function spansFor(wanted: readonly Moved[], rows: readonly PlacedEvent[]): QuerySpan[] {
    if (wanted.length === 0) return [];
    const moved = wanted.map(({ timeMs }) => timeMs);
    return spansOfMoved(moved, rows.map(timeOf)).flatMap((span) => withinQuery(span, query));
  }

  function list(signal: AbortSignal): AsyncIterable<AgencyBatch> {
    if (updatedAfter !== null) {
      return client.listEvents({ ...query, updatedAfter }, { signal, expected: 0 });
    }
    const expected = options.known === null ? undefined : before.size();
    return client.listEvents(query, { signal, expected });
  }

  return {
    batches: (signal: AbortSignal) => (isListingAll ? listed(signal) : detailed(signal)),
    /**
     * Once all batches were read: whether it is known of each event of the window that it is there, and all of them
     * were read in full as it was asked, in this run or the ones before.
     */
    isWhole: () => !isIncrement && rowsWithoutId === 0 && part?.isLast() !== false,
    isPresent,
    known: (): Uint8Array => {
      const isAllRead = isThorough || isListingAll || part?.isLast() === true;
      const parts = part?.after() ?? (isAllRead ? undefined : before.parts);
      return next.pack(isAllRead ? nowMs : before.thoroughMs, parts);
    },
  };
}

export type ScheduledReading = ReturnType<typeof createScheduledReading>;

/** ComCat's `ids`: all ids of an event, its own among them. */
function otherIdsOf({ event: { extra } }: PlacedEvent, { sourceId }: EventIds): readonly string[] {
  const ids = isJsonObject(extra) ? extra["ids"] : null;
  if (typeof ids !== "string") return [];
  return ids.split(",").filter((id) => id !== "" && id !== sourceId);
}

/** By public id, and by the bare id where no other row has that. */
function rowsById(rows: readonly Moved[]): Map<string, Moved> {
  const byId = new Map<string, Moved>();
  for (const row of rows) {
    const { publicId, sourceId } = row.ids;
    if (publicId !== null) byId.set(publicId, row);
    if (sourceId !== null && !byId.has(sourceId)) byId.set(sourceId, row);
  }
  return byId;
}

function rowOf(ids: EventIds, byId: ReadonlyMap<string, Moved>): Moved | undefined {
  const same = ids.publicId === null ? undefined : byId.get(ids.publicId);
  if (same !== undefined || ids.sourceId === null) return same;
  const row = byId.get(ids.sourceId);
  return row === undefined || (row.ids.publicId !== null && ids.publicId !== null)
    ? undefined
    : row;
}

const MICROS = 1_000n;

function timeOf({ event: { time } }: PlacedEvent): number {
  return Number(timeToMicros(time) / MICROS);
}

/** The part of a span that lies in the query's window, if any. */
function withinQuery({ from, to }: MillisecondSpan, query: AgencyQuery): QuerySpan[] {
  const [start, end] = [timeToMicros(query.startTime), timeToMicros(query.endTime)];
  const [first, last] = [BigInt(Math.floor(from)) * MICROS, BigInt(Math.ceil(to)) * MICROS];
  if (last < start || first > end) return [];
  return [
    {
      startTime: first > start ? microsToTime(first, 6) : query.startTime,
      endTime: last < end ? microsToTime(last, 6) : query.endTime,
    },
  ];
}
