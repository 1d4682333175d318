/** Entry point of the import threads: processing an agency's answers must not block other requests. */

import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import type { ImportTally } from "#contracts/import-run.ts";
import { type AgencyBatch, createAgencyClient } from "#infra/agency/agency-client.ts";
import type { AgencyQuery } from "#infra/agency/agency-query.ts";
import { agencyErrorCode } from "#infra/agency/errors.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";
import type { Changes } from "../changes/changes.ts";
import { CHUNKS_AHEAD, type Chunk } from "../chunk-stream.ts";
import { createTally, importErrorOf, TooManyErrors } from "./import-tally.ts";
import { createImportWriter, type ImportTarget } from "./import-writer.ts";
import { createRemoteBreaker } from "./remote-breaker.ts";

export type AgencyOptions = {
  readonly url: string;
  readonly name: string;
  readonly userAgent: string;
  /** Longest silence; a whole answer may take 30 times as long. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** Wait before the first retry. Default 1 s. */
  readonly backoffMs?: number;
};

export type ImportTask = {
  readonly databaseUrl: string;
  readonly agency: AgencyOptions;
  readonly query: AgencyQuery;
  readonly target: ImportTarget;
  readonly nowMs: number;
};

/** The worker's news of its progress; only errors since the previous news. */
export type ImportNews = {
  readonly windows: AgencyBatch["progress"];
  readonly tally: ImportTally;
};

/** Errors lose their class between threads, so an agency's failure is part of the result. */
export type ImportEnd = { readonly tally: ImportTally } & (
  | { readonly outcome: "imported"; readonly changes: Changes }
  | { readonly outcome: "failed"; readonly code: ErrorCode; readonly message: string }
);

/** The requested events as the chunks of one revision, with news of the progress in between. */
export const streamImported = workerStream(imported, CHUNKS_AHEAD);

async function* imported(
  { databaseUrl, agency, query, target, nowMs }: ImportTask,
  { call }: Pick<Link, "call">,
): AsyncGenerator<{ readonly news: ImportNews } | Chunk, ImportEnd> {
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
      for (const problem of batch.errors) tally.failed(importErrorOf(problem));
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
