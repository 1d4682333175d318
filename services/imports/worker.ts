/** Entry point of the import threads: processing an agency's answers must not block other requests. */

import type { ClientBase } from "pg";
import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import type { ImportTally, ServiceDialect, WithheldEvents } from "#contracts/events/imports.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { bareIdOf } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { type AgencyClient, createAgencyClient } from "#infra/agency/agency-client.ts";
import type { PlacedEvent } from "#infra/agency/answer.ts";
import type { AddressRules } from "#infra/agency/http/address-guard.ts";
import { agencyErrorCode } from "#infra/agency/http/exchange.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import { type AgencyQuery, filtersOf } from "#infra/agency/query.ts";
import type { AgencyBatch } from "#infra/agency/windows.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";
import { copyWholeById } from "#projections/read/edits.ts";
import {
  type AskedWindow,
  copyWindowIds,
  countDelivered,
  deliveredAmong,
  type PresentIds,
} from "#projections/read/imports.ts";
import { createImportedReader, WITHDRAWN_AT } from "#services/domain/imports/run.ts";
import { LOOKUP } from "../changes/change-writer.ts";
import { CHUNKS_AHEAD, type Changes, type Chunk } from "../changes/revision-changes.ts";
import { createRemoteBreaker } from "./gate.ts";
import {
  createScheduledReading,
  type ReadBatch,
  type ScheduledEnd,
  type ScheduledReading,
  type ScheduledRun,
} from "./reading.ts";
import { openTable } from "./table.ts";
import {
  createImportWriter,
  createTally,
  type ImportTarget,
  type ImportWriter,
  importErrorOf,
  type Tally,
  TooManyErrors,
} from "./writer.ts";

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

export type ImportTask = {
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
  task: ImportTask,
  { call }: Pick<Link, "call">,
): AsyncGenerator<{ readonly news: ImportProgress } | Chunk, ImportEnd> {
  const { agency, query, target, nowMs, scheduled, messages } = task;
  const { client: database, close } = await openThreadSession("import");
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
      const { name } = agency;
      const { changes, known } = yield* table.join({
        client: database,
        target,
        tally,
        nowMs,
        name,
      });
      const end = { known, isWhole: true, withdrawn: 0 };
      return { outcome: "imported", tally: tally.read(), changes, scheduled: end };
    }
    const areMessages = messages !== undefined;
    const writer = createImportWriter(database, target, tally, { nowMs, areMessages });
    const reading = table
      ? table.reading({ query, nowMs, version: target.version })
      : scheduled && (await openScheduled(client, task, scheduled, signal));
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
      const run = { writer, tally };
      withheld = yield* withdrawMissing(database, run, reading.isPresent, task, scheduled);
    }
    const chunk = writer.finish();
    if (chunk !== null) yield { chunk };
    const end = { outcome: "imported" as const, tally: tally.read(), changes: writer.changes() };
    if (reading === undefined) return end;
    const withdrawn = end.tally.withdrawnEvents ?? 0;
    const known = reading.known();
    return { ...end, scheduled: { known, isWhole: reading.isWhole(), withdrawn, withheld } };
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
  { query, target, nowMs }: ImportTask,
  scheduled: ScheduledRun,
  signal: AbortSignal,
): Promise<ScheduledReading> {
  const isTold = await client.takesUpdatedAfter(signal);
  return createScheduledReading(client, query, {
    ...scheduled,
    updatedAfter: isTold ? scheduled.updatedAfter : null,
    isInParts: !isTold,
    updateExisting: target.updateExisting,
    nowMs,
  });
}

/** @throws errors that are not the agency's */
function failureOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof TooManyErrors) return { code: "AGENCY_ERROR", message: error.message };
  const code = agencyErrorCode(error);
  if (code === null) throw error;
  const message = error instanceof Error ? error.message : ERRORS[code].text;
  return { code, message };
}

/** A larger share of the agency's events in the window is not believed to be withdrawn. */
const MAX_SHARE = 0.2;
/** So few are believed all the same, once so many whole runs in a row have missed them: windows may be nearly empty. */
const FEW = 3;
const RUNS_IN_A_ROW = 3;
/** Events of which it is kept how often they were missed. */
const MOST_KEPT = 1_000;
/** An event whose time is corrected across the window's start was not withdrawn. */
const INSIDE_START = 60_000_000n;

/**
 * Marks or removes the events that the agency delivered once and has no more, of a window that was read
 * whole. Where existing events are not updated, those that are back lose their marks here. What would be too many
 * is withheld: an agency that has lost its events has not withdrawn them.
 * @param client the run's own connection
 * @returns what is withheld, if anything is
 */
async function* withdrawMissing(
  client: ClientBase,
  { writer, tally }: { writer: Pick<ImportWriter, "withdraw" | "isRenamed">; tally: Tally },
  isPresent: ScheduledReading["isPresent"],
  { target, query, agency, nowMs }: ImportTask,
  { withdrawn, missed = {} }: ScheduledRun,
): AsyncGenerator<Chunk, WithheldEvents | undefined> {
  if (withdrawn === "keep") return undefined;
  const window: AskedWindow = { base: target, filters: insideOf(query) };
  const isThere = (event: PresentIds) =>
    isPresent(event.sourceId, event.publicId, bareIdOf(event)) || writer.isRenamed(event.id);

  const missing: string[] = [];
  for await (const event of copyWindowIds(client, window)) {
    if (!isThere(event)) missing.push(event.id);
  }
  const gone = await deliveredAmong(client, target, agency.id, missing);
  const held = gone.length === 0 ? 0 : await countDelivered(client, window, agency.id);
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
    why: `${agency.name} has ${share}: ${until}`,
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
