/** Entry point of the threads that compare catalogues: a million events must not block other requests. */
import { Refusal } from "#contracts/errors.ts";
import type { ComparedCatalogue } from "#contracts/http/analytics/comparison.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";
import { workerStream } from "#infra/threads/task.ts";
import { TooManyCandidates } from "#services/domain/merge/grouping/candidates.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import {
  type Comparison,
  compareCatalogues,
} from "#services/domain/statistics/comparison/compare-catalogues.ts";
import { type ComparedVersion, readCompared } from "./read-compared.ts";

export type CompareRequest = {
  /** The first catalogue's, then the second's. */
  readonly versions: readonly [ComparedVersion, ComparedVersion];
  /** Seconds. */
  readonly timeThreshold: number;
  /** Kilometres. */
  readonly distanceThreshold: number;
  readonly eta: number;
};

export type CompareTask = CompareRequest & { readonly databaseUrl: string };

export type ComparedCatalogues = Comparison & { readonly catalogues: readonly ComparedCatalogue[] };

/** Progress in events read, and the comparison. @throws Refusal NOT_FOUND, MERGE_ERROR */
export const compare = workerStream(async function* ({
  databaseUrl,
  ...request
}: CompareTask): AsyncGenerator<number, ComparedCatalogues> {
  await using session = await openWatchedSession(databaseUrl, "compare");
  const { client } = session;
  try {
    await client.query("begin isolation level repeatable read, read only");
    const { events, catalogues } = yield* readCompared(client, request.versions);
    const thresholds = thresholdsOf(request.timeThreshold, request.distanceThreshold);
    return { ...compareCatalogues(events, { thresholds, eta: request.eta }), catalogues };
  } catch (cause) {
    if (!(cause instanceof TooManyCandidates)) throw cause;
    throw new Refusal("MERGE_ERROR", `${cause.message}; narrow them`, { cause });
  }
});
