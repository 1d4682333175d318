/** Entry point of the import threads: processing an agency's answers must not block other requests. */

import type { Client, ClientBase } from "pg";
import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import type {
  ImportTally,
  ServiceDialect,
  TableReading,
  WithdrawnHandling,
  WithheldEvents,
} from "#contracts/events/imports.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { bareIdOf } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import {
  type AgencyBatch,
  type AgencyClient,
  type AgencyFileOptions,
  createAgencyClient,
} from "#infra/agency/agency-client.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import type { AddressRules } from "#infra/agency/http/address-guard.ts";
import { AgencyError, agencyErrorCode } from "#infra/agency/http/errors.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import { type AgencyQuery, filtersOf } from "#infra/agency/query.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";
import { copyWholeById } from "#projections/read/edits.ts";
import {
  type AskedWindow,
  copyWindowIds,
  countDelivered,
  deliveredAmong,
  type PresentIds,
} from "#projections/read/imports.ts";
import { createImportedReader } from "#services/domain/imports/imported-row.ts";
import { LOOKUP, recordChanges, WITHDRAWN_AT } from "../changes/change-writer.ts";
import { joinRows, type RefusedRows } from "../changes/join-rows.ts";
import type { ReadRow } from "../changes/joined-row.ts";
import {
  type CatalogueTarget,
  CHUNKS_AHEAD,
  type Changes,
  type Chunk,
} from "../changes/revision-changes.ts";
import { createRemoteBreaker } from "./gate.ts";
import { createScheduledReading, type ReadBatch, type ScheduledReading } from "./reading.ts";
import {
  createTableReading,
  type KnownTable,
  openKnownTable,
  packKnownTable,
  readTable,
  type TableFile,
  unchangedReading,
} from "./table.ts";
import {
  createImportWriter,
  createTally,
  type ImportTarget,
  type ImportWriter,
  importErrorOf,
  type Tally,
  TooManyErrors,
} from "./writer.ts";

/** A larger share of the agency's events in the window is not believed to be withdrawn. */
const MAX_SHARE = 0.2;
/** So few are believed all the same, once so many whole runs in a row have missed them: windows may be nearly empty. */
const FEW = 3;
const RUNS_IN_A_ROW = 3;
/** Events of which it is kept how often they were missed. */
const MOST_KEPT = 1_000;
/** An event whose time is corrected across the window's start was not withdrawn. */
const INSIDE_START = 60_000_000n;

type WithdrawalWindow = {
  readonly target: ImportTarget;
  readonly query: AgencyQuery;
  /** The agency's id and name. */
  readonly agencyId: string;
  readonly agency: string;
  readonly withdrawn: WithdrawnHandling;
  /** Events that earlier runs have withheld: how many whole runs in a row have missed them, by their ids. */
  readonly missed?: WithheldEvents["missed"] | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
};

/**
 * Marks or removes the events that the agency delivered once and has no more, of a window that was read
 * whole. Where existing events are not updated, those that are back lose their marks here. What would be too many
 * is withheld: an agency that has lost its events has not withdrawn them.
 * @param client the run's own connection
 * @param isPresent whether the agency has an event by one of the names
 * @returns what is withheld, if anything is
 */
async function* withdrawMissing(
  client: ClientBase,
  { writer, tally }: { writer: Pick<ImportWriter, "withdraw" | "isRenamed">; tally: Tally },
  isPresent: (...names: readonly (string | null)[]) => boolean,
  { target, query, agencyId, agency, withdrawn, missed = {}, nowMs }: WithdrawalWindow,
): AsyncGenerator<Chunk, WithheldEvents | undefined> {
  if (withdrawn === "keep") return undefined;
  const window: AskedWindow = { base: target, filters: insideOf(query) };
  const isThere = (event: PresentIds) =>
    isPresent(event.sourceId, event.publicId, bareIdOf(event)) || writer.isRenamed(event.id);

  const missing: string[] = [];
  for await (const event of copyWindowIds(client, window)) {
    if (!isThere(event)) missing.push(event.id);
  }
  const gone = await deliveredAmong(client, target, agencyId, missing);
  const held = gone.length === 0 ? 0 : await countDelivered(client, window, agencyId);
  const runsWithout = (id: string) => (missed[id] ?? 0) + 1;
  const isBelieved = (id: string) =>
    gone.length <= MAX_SHARE * held || (gone.length <= FEW && runsWithout(id) >= RUNS_IN_A_ROW);
  const withheld = gone.filter((id) => !isBelieved(id));
  tally.withheld(withheld.length);
  const at = new Date(nowMs).toISOString();
  const withdrawnRow = (event: SeismicEvent) => (withdrawn === "remove" ? null : marked(event, at));
  yield* rewrite(gone.filter(isBelieved), withdrawnRow, true);
  if (!target.updateExisting) {
    const back: string[] = [];
    for await (const event of copyWindowIds(client, window, true)) {
      if (isThere(event)) back.push(event.id);
    }
    yield* rewrite(back, unmarked, false);
  }
  if (withheld.length === 0) return undefined;
  const share = `${gone.length} of its ${held} events in the window no more, which is more than ${100 * MAX_SHARE} %`;
  const until =
    gone.length > FEW
      ? "none of them is withdrawn"
      : `they are withdrawn once ${RUNS_IN_A_ROW} whole runs in a row have missed them`;
  const kept = withheld.toSorted().slice(0, MOST_KEPT);
  return {
    why: `${agency} has ${share}: ${until}`,
    missed: Object.fromEntries(kept.map((id) => [id, runsWithout(id)])),
  };

  async function* rewrite(
    ids: readonly string[],
    rowOf: (event: SeismicEvent) => SeismicEventRecord | null,
    isCounted: boolean,
  ): AsyncGenerator<Chunk> {
    for (let start = 0; start < ids.length; start += LOOKUP) {
      const some = copyWholeById(client, target, ids.slice(start, start + LOOKUP));
      for await (const known of some) {
        const chunk = writer.withdraw(known, rowOf(known.event), isCounted);
        if (chunk !== null) yield { chunk };
      }
    }
  }
}

function marked({ id: _, ...record }: SeismicEvent, at: string): SeismicEventRecord {
  return { ...record, extra: { ...record.extra, [WITHDRAWN_AT]: at } };
}

function unmarked({ id: _, ...record }: SeismicEvent): SeismicEventRecord {
  const { [WITHDRAWN_AT]: __, ...extra } = record.extra ?? {};
  return { ...record, extra: Object.keys(extra).length === 0 ? null : extra };
}

function insideOf(query: AgencyQuery): EventFilters {
  const startTime = microsToTime(timeToMicros(query.startTime) + INSIDE_START, 6);
  return { ...filtersOf(query), startTime, endTime: query.endTime };
}

/** The agency that a run asks. */
export type AgencyOptions = {
  readonly id: string;
  /** Over all imports of this process. */
  readonly requestsAtOnce: number;
  readonly url: string;
  /** The address is that of a file, of at most so many bytes. */
  readonly fileBytes?: number;
  readonly name: string;
  readonly dialect?: ServiceDialect | undefined;
  /** Where its address may lead; absent for that of the configuration, by the operator's word. */
  readonly addresses?: AddressRules;
  readonly userAgent: string;
  /** Longest silence; a whole answer may take 30 times as long. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** Most events that it gives in one answer, where it says so. */
  readonly cap?: number;
  /** Wait before the first retry. Default 1 s. */
  readonly backoffMs?: number;
};

/** What a run of a schedule knows of those before. */
export type ScheduledRun = {
  /** Of the agency whose events may be withdrawn: its slug. */
  readonly agencyId: string;
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

export type ImportTask = {
  readonly databaseUrl: string;
  readonly agency: AgencyOptions;
  readonly query: AgencyQuery;
  readonly target: ImportTarget;
  readonly nowMs: number;
  /** Absent for an import that a person asked for, and for messages. */
  readonly scheduled?: ScheduledRun | undefined;
  /** What the agency sent by itself: then it is not asked, and `query` is not read. */
  readonly messages?: readonly PushedEvent[] | undefined;
};

export type ImportProgress = {
  readonly windows: AgencyBatch["progress"];
  readonly tally: ImportTally;
};

/** Errors lose their class between threads, so an agency's failure is part of the result. */
export type ImportEnd = { readonly tally: ImportTally } & (
  | {
      readonly outcome: "imported";
      readonly changes: Changes;
      /** Of a scheduled run. */
      readonly scheduled?: ScheduledEnd;
    }
  | { readonly outcome: "failed"; readonly code: ErrorCode; readonly message: string }
);

/**
 * The requested events as the chunks of one revision, with news of the progress in between, each with
 * only the errors since the previous one.
 */
export const streamImported = workerStream(imported, CHUNKS_AHEAD);

async function* imported(
  { databaseUrl, agency, query, target, nowMs, scheduled, messages }: ImportTask,
  { call }: Pick<Link, "call">,
): AsyncGenerator<{ readonly news: ImportProgress } | Chunk, ImportEnd> {
  const { client: database, close } = await openWatchedSession(databaseUrl, "import");
  const breaker = createRemoteBreaker(call);
  const client = createAgencyClient({
    ...agency,
    breaker,
    // The process that has the breaker also limits the requests.
    slots: { run: (request) => request() },
  });
  const tally = createTally();
  let errorsTold = 0;
  try {
    const { signal } = new AbortController();
    const table = scheduled && (await openTable({ ...agency, breaker }, scheduled, target, signal));
    if (table && scheduled.table?.join !== undefined) {
      return yield* joinOpened(table, {
        client: database,
        target,
        tally,
        nowMs,
        name: agency.name,
      });
    }
    const writer = createImportWriter(database, target, tally, {
      nowMs,
      areMessages: messages !== undefined,
    });
    const reading = table
      ? readingOf(table, { query, nowMs, version: target.version })
      : scheduled && (await openScheduled(client, { query, target, nowMs, scheduled }, signal));
    const answers = () =>
      messages === undefined ? client.fetchEvents(query, { signal }) : [batchOf(messages)];
    const batches = reading?.batches(signal) ?? readAll(answers(), nowMs);
    for await (const batch of batches) {
      for (const problem of batch.errors) {
        tally.failed(importErrorOf(problem), problem.elements);
      }
      tally.skipped("unchanged", batch.unchanged);
      for await (const chunk of writer.take(batch.events)) yield { chunk };
      const news = { windows: batch.progress, tally: tally.read(errorsTold) };
      errorsTold += news.tally.errors.length;
      yield { news };
    }
    let withheld: WithheldEvents | undefined;
    if (scheduled !== undefined && reading?.isWhole() === true && target.hasEvents) {
      const window = { target, query, nowMs, agency: agency.name, ...scheduled };
      withheld = yield* withdrawMissing(database, { writer, tally }, reading.isPresent, window);
    }
    const chunk = writer.finish();
    if (chunk !== null) yield { chunk };
    const changes = writer.changes();
    return {
      outcome: "imported",
      tally: tally.read(),
      changes,
      ...endOf(reading, tally, withheld),
    };
  } catch (error) {
    return { outcome: "failed", tally: tally.read(), ...failureOf(error) };
  } finally {
    client.close();
    await close();
  }
}

type Answered = Pick<AgencyBatch, "events" | "errors" | "progress">;

function batchOf(messages: readonly PushedEvent[]): Answered {
  const events = messages.map(({ event }, i) => ({ event, line: i + 1, answer: "its messages" }));
  return { events, errors: [], progress: { done: 1, total: 1 } };
}

/** The events of an import that a person asked for, and those of messages. */
async function* readAll(
  batches: AsyncIterable<Answered> | Iterable<Answered>,
  nowMs: number,
): AsyncGenerator<ReadBatch> {
  const read = createImportedReader(nowMs);
  const readEvent = (placed: PlacedEvent) => ({ placed, imported: read(placed.event) });
  for await (const { events, errors, progress } of batches) {
    yield { events: Iterator.from(events).map(readEvent), errors, unchanged: 0, progress };
  }
}

/** Where the agency cannot tell what changed, the whole window is listed, and read in parts. */
async function openScheduled(
  client: AgencyClient,
  {
    query,
    target,
    nowMs,
    scheduled,
  }: Pick<ImportTask, "query" | "target" | "nowMs"> & {
    readonly scheduled: ScheduledRun;
  },
  signal: AbortSignal,
): Promise<ScheduledReading> {
  const { updatedAfter, isThorough, known, pushed } = scheduled;
  const isTold = await client.takesUpdatedAfter(signal);
  const { updateExisting } = target;
  return createScheduledReading(client, query, {
    updatedAfter: isTold ? updatedAfter : null,
    isThorough,
    isInParts: !isTold,
    known,
    pushed,
    updateExisting,
    nowMs,
  });
}

function endOf(
  reading: ScheduledReading | undefined,
  tally: Tally,
  withheld: WithheldEvents | undefined,
): { scheduled?: ScheduledEnd } {
  if (reading === undefined) return {};
  const withdrawn = tally.read().withdrawnEvents ?? 0;
  return { scheduled: { known: reading.known(), isWhole: reading.isWhole(), withdrawn, withheld } };
}

/** @throws errors that are not the agency's */
function failureOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof TooManyErrors) return { code: "AGENCY_ERROR", message: error.message };
  const code = agencyErrorCode(error);
  if (code === null) throw error;
  const message = error instanceof Error ? error.message : ERRORS[code].text;
  return { code, message };
}

/** The file of an agency that is one. */
export type OpenedTable =
  | { readonly file: TableFile }
  /** It is as it was. */
  | { readonly known: KnownTable };

type AskedAgency = Omit<AgencyFileOptions, "maxBytes"> & { readonly fileBytes?: number };

type Asked = Pick<ScheduledRun, "known" | "missed" | "table">;

/**
 * Asks an agency that is a file for it; null for any other agency. It is asked for whatever it is where events are
 * withheld that it had not, and by a join where rows of it were about no event and the catalogue has changed since.
 * @throws as `readTable`
 */
async function openTable(
  { fileBytes, ...agency }: AskedAgency,
  { known: packed, missed = {}, table = {} }: Asked,
  target: CatalogueTarget,
  signal: AbortSignal,
): Promise<OpenedTable | null> {
  if (fileBytes === undefined) return null;
  const known = openKnownTable(packed);
  const isJoinedAgain = known !== null && table.join !== undefined && mayMatchNow(known, target);
  const isAgain = isJoinedAgain || Object.keys(missed).length > 0;
  const marks = isAgain ? null : (known?.marks ?? null);
  const file = await readTable({ ...agency, maxBytes: fileBytes }, table, marks, signal);
  if (file !== null) return { file };
  if (known === null) throw new Error("an unknown file is as it was");
  return { known };
}

/** How its rows are imported. */
function readingOf(
  opened: OpenedTable,
  options: { readonly query: AgencyQuery; readonly nowMs: number; readonly version: number },
): ScheduledReading {
  return "file" in opened
    ? createTableReading(opened.file, options)
    : unchangedReading(opened.known);
}

type JoinTarget = {
  readonly client: Client;
  readonly target: CatalogueTarget;
  readonly tally: Tally;
  readonly nowMs: number;
  readonly name: string;
};

/**
 * Joins its rows to the events of a catalogue.
 * @returns the end of the run
 * @throws as `joinTable`
 */
async function* joinOpened(opened: OpenedTable, options: JoinTarget) {
  const { changes, known } = yield* chunksOf(opened, options);
  const scheduled = { known, isWhole: true, withdrawn: 0 };
  return { outcome: "imported" as const, tally: options.tally.read(), changes, scheduled };
}

async function* chunksOf(
  opened: OpenedTable,
  options: JoinTarget,
): AsyncGenerator<Chunk, { readonly changes: Changes; readonly known: Uint8Array }> {
  if ("known" in opened) {
    const changes = recordChanges(options.target).changes();
    return { changes, known: packKnownTable(opened.known) };
  }
  const joined = joinTable(opened.file, options);
  for (let next = await joined.next(); ; next = await joined.next()) {
    if (next.done) return next.value;
    yield { chunk: next.value };
  }
}

type Options = {
  readonly client: Client;
  readonly target: CatalogueTarget;
  readonly tally: Tally;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The agency's name. */
  readonly name: string;
};

/**
 * Joins the rows of a table's file to the events that they are about, as the chunks of a revision.
 * @returns what has changed, and what is left for the next run
 * @throws AgencyError, before there is any chunk, for a file none of whose rows has an id
 */
async function* joinTable(
  { marks, slices }: TableFile,
  { client, target, tally, nowMs, name }: Options,
): AsyncGenerator<EncodedChunk, { readonly changes: Changes; readonly known: Uint8Array }> {
  let rowCount = 0;
  const failed = (line: number, message: string, id?: string) =>
    tally.failed({
      message,
      ...(id !== undefined && { source_id: id }),
      line,
      where: `line ${line} of the file`,
    });
  const onRow = ({ line }: FileRow, read: ReadRow): void => {
    rowCount += 1;
    if (read.ok) return;
    const message = read.errors.map((error) => `${error.field} ${error.message}`).join("; ");
    failed(line, message, read.id);
  };
  const onRefused = ({ id, field, message }: RefusedRows): void =>
    tally.failed({ message: field === "event" ? message : `${field} ${message}`, source_id: id });
  const rows = slices({ error: (line, message) => failed(line, message), end: () => {} });
  const options = { preferred: false, nowMs, alive: () => {}, onRow, onRefused };
  const { chunks, changes, end } = joinRows(() => Promise.resolve(client), target, rows, options);
  yield* chunks;
  const { events, hasIds, unmatched, unmatchedCount } = end();
  if (rowCount > 0 && !hasIds) {
    throw new AgencyError(`${name}'s file has no ids: say which of its columns is source_id`);
  }
  const made = changes();
  const { added, updated, removed } = made;
  tally.joined({ events, updated, unmatched, unmatchedCount });
  const version = added + updated + removed > 0 ? target.nextVersion : target.version;
  const known = packKnownTable({ marks, isWhole: true, version, unmatched: unmatchedCount });
  return { changes: made, known };
}

/** Whether rows of the file that is known may be about events that were not there then. */
function mayMatchNow(known: KnownTable, { version }: Pick<CatalogueTarget, "version">) {
  return known.unmatched > 0 && known.version !== version;
}
