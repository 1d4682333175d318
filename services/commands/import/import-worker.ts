/** Entry point of the import threads: processing an agency's answers must not block other requests. */

import type { ClientBase } from "pg";
import type { ServiceDialect } from "#contracts/agency.ts";
import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import type { ImportError, ImportTally, WithdrawnHandling } from "#contracts/import-run.ts";
import { type AgencyBatch, createAgencyClient } from "#infra/agency/agency-client.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import type { AgencyQuery } from "#infra/agency/agency-query.ts";
import { agencyErrorCode } from "#infra/agency/errors.ts";
import type { AddressRules } from "#infra/agency/guard/address-guard.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";
import { createEventIdentifier } from "#services/domain/identity/identify-events.ts";
import { createImportedReader, type ImportedRow } from "#services/domain/import/read-imported.ts";
import type { Candidate } from "../changes/candidate.ts";
import { createChangeWriter, LOOKUP } from "../changes/change-writer.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/chunks-of-thread.ts";
import type { Changes, ChangeTarget } from "../changes/revision-changes.ts";
import { createTally, importErrorOf, type Tally, TooManyErrors } from "./import-tally.ts";
import { createRemoteBreaker } from "./remote-breaker.ts";

/** The agency that a run asks. */
export type AgencyOptions = {
  readonly id: string;
  /** Over all imports of this process. */
  readonly requestsAtOnce: number;
  readonly url: string;
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

export type ImportTarget = ChangeTarget & { readonly updateExisting: boolean };

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
  /** What the last run that read the window whole returned as `known`. */
  readonly known: Uint8Array | null;
  readonly withdrawn: WithdrawnHandling;
};

export type ScheduledEnd = {
  /** What the window holds at the agency, for the next run; null where this run did not read it whole. */
  readonly known: Uint8Array | null;
  /** Whether everything in the window is known: false for increments, and where a row had a fault. */
  readonly isWhole: boolean;
  /** Events that were marked or removed, or would be where they are kept. */
  readonly withdrawn: number;
};

export type ImportTask = {
  readonly databaseUrl: string;
  readonly agency: AgencyOptions;
  readonly query: AgencyQuery;
  readonly target: ImportTarget;
  readonly nowMs: number;
  /** Absent for an import that a person asked for. */
  readonly scheduled?: ScheduledRun | undefined;
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
  { databaseUrl, agency, query, target, nowMs }: ImportTask,
  { call }: Pick<Link, "call">,
): AsyncGenerator<{ readonly news: ImportProgress } | Chunk, ImportEnd> {
  const { client: database, close } = await openWatchedSession(databaseUrl, "import");
  const client = createAgencyClient({
    ...agency,
    breaker: createRemoteBreaker(call),
    // The process that has the breaker also limits the requests.
    slots: { run: (request) => request() },
  });
  const tally = createTally();
  let errorsTold = 0;
  try {
    const writer = createImportWriter(database, target, tally, nowMs);
    const { signal } = new AbortController();
    for await (const batch of client.fetchEvents(query, { signal })) {
      for (const problem of batch.errors) {
        tally.failed(importErrorOf(problem), problem.elements);
      }
      for await (const chunk of writer.take(batch.events)) yield { chunk };
      const news = { windows: batch.progress, tally: tally.read(errorsTold) };
      errorsTold += news.tally.errors.length;
      yield { news };
    }
    const chunk = writer.finish();
    if (chunk !== null) yield { chunk };
    return { outcome: "imported", tally: tally.read(), changes: writer.changes() };
  } catch (error) {
    return { outcome: "failed", tally: tally.read(), ...failureOf(error) };
  } finally {
    client.close();
    await close();
  }
}

/** @throws errors that are not the agency's */
function failureOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof TooManyErrors) return { code: "AGENCY_ERROR", message: error.message };
  const code = agencyErrorCode(error);
  if (code === null) throw error;
  const message = error instanceof Error ? error.message : ERRORS[code].text;
  return { code, message };
}

type ImportWriter = {
  /** Takes events of the agency and yields each chunk that is full. */
  readonly take: (events: readonly PlacedEvent[]) => AsyncGenerator<EncodedChunk>;
  /** The last chunk; null when no change is left. */
  readonly finish: () => EncodedChunk | null;
  readonly changes: () => Changes;
};

/**
 * Compares the agency's events with the catalogue's and writes new and different ones. An event that
 * occurred earlier in this run is skipped, since windows and boxes overlap at their edges.
 * @param client the run's own connection, for lookups
 */
function createImportWriter(
  client: ClientBase,
  target: ImportTarget,
  tally: Tally,
  nowMs: number,
): ImportWriter {
  const read = createImportedReader(nowMs);
  const identifier = createEventIdentifier();
  const connect = () => Promise.resolve(client);
  const options = { updateExisting: target.updateExisting, nowMs };
  const writer = createChangeWriter(connect, target, options, identifier, tally);

  function candidatesOf(events: readonly PlacedEvent[]): Candidate[] {
    const candidates: Candidate[] = [];
    for (const placed of events) {
      const imported = read(placed.event);
      const { outcome } = imported;
      const ids = identifier.take(imported.ids);
      const { bulletin = null } = placed;
      if (bulletin !== null) tally.whole(bulletin, outcome === "event" ? "kept" : "dropped");
      if (ids === null) continue;
      if (outcome === "event") candidates.push({ ids, record: imported.record, bulletin });
      else if (outcome !== "error") tally.skipped(outcome);
      else tally.failed(errorOf(placed, imported));
    }
    return candidates;
  }

  function* batchesOf(events: readonly PlacedEvent[]): Generator<Candidate[]> {
    for (let start = 0; start < events.length; start += LOOKUP) {
      yield candidatesOf(events.slice(start, start + LOOKUP));
    }
  }

  return {
    take: (events) => writer.write(batchesOf(events)),
    finish: writer.finish,
    changes: writer.changes,
  };
}

function errorOf(
  { event, line, answer }: PlacedEvent,
  { ids: { sourceId }, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}
