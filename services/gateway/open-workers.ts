import { MAX_ANSWER_TIMES } from "#contracts/http/upload.ts";
import type { Config } from "#infra/config/config.ts";
import { createKnownValues } from "#projections/queries/clients/known-values.ts";
import type { AgencyGates } from "#services/agencies/agency-gates.ts";
import { createComparer } from "#services/analytics/comparer.ts";
import { createDeclusterer } from "#services/analytics/declusterer.ts";
import { createBulletinWork } from "#services/commands/bulletins/bulletin-work.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { createConverter } from "#services/commands/conversions/converter.ts";
import { createImporter } from "#services/commands/import/importer.ts";
import { createDecisionWork } from "#services/commands/merge/decisions/decision-work.ts";
import { createMerger } from "#services/commands/merge/merger.ts";
import { createPairFinder } from "#services/commands/merge/pair-finder.ts";
import { createRestorer } from "#services/commands/restore/restorer.ts";
import { createSubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { createVersionHasher } from "#services/versions/version-hasher.ts";
import { createExporter } from "./files/exporter.ts";
import { createUploadParser } from "./files/upload-parser.ts";
import type { GatewayThreads } from "./threads/gateway-threads.ts";

export type WorkersDeps = {
  readonly context: Pick<CommandContext, "pool" | "now">;
  readonly config: Config;
  /** For the database connections of merges and imports in worker threads. */
  readonly databaseUrl: string;
  readonly gates: Pick<AgencyGates, "of">;
};

/** What does the work of handlers. */
export function openWorkers(threads: GatewayThreads, deps: WorkersDeps) {
  const { context, config, databaseUrl, gates } = deps;
  const { pool, now } = context;
  const { maxEventsPerRequest: maxEvents, maxUploadBytes: maxFileBytes } = config;
  const maxAnswerBytes = MAX_ANSWER_TIMES * maxFileBytes;
  return {
    threads,
    submissions: createSubmissionReader(threads.submissions, { databaseUrl, maxEvents, now }),
    uploads: createUploadParser(threads.uploads, { maxAnswerBytes, maxFileBytes }),
    bulletins: createBulletinWork(threads.bulletins),
    exporter: createExporter(threads),
    decisionWork: createDecisionWork(threads.decisions, { databaseUrl, pool }),
    merger: createMerger(threads.merges, deps),
    pairFinder: createPairFinder(threads.merges, { databaseUrl, pool }),
    restorer: createRestorer(threads.restores, deps),
    converter: createConverter(threads.conversions, deps),
    declusterer: createDeclusterer(threads.declustering, deps),
    comparer: createComparer(threads.comparisons, deps),
    versionHasher: createVersionHasher(threads.hashes, { databaseUrl, pool }),
    importer: createImporter(threads.imports, { databaseUrl, gateOf: gates.of }),
    messageImporter: createImporter(threads.messages, { databaseUrl, gateOf: gates.of }),
    knownValues: createKnownValues(),
  };
}
