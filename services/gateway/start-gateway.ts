import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { MAX_ANSWER_TIMES } from "#contracts/http/upload.ts";
import type { CircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import type { Config } from "#infra/config/config.ts";
import type { OperatedEventLog } from "#infra/event-log/event-log.ts";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { createHttpMetrics } from "#infra/metrics/http-metrics.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import { forgetOldNetworks } from "#infra/security/vault/known-networks.ts";
import { readSession } from "#projections/queries/accounts/user-queries.ts";
import { isPublicCatalogue } from "#projections/queries/catalogues/catalogue-queries.ts";
import { useShare } from "#projections/queries/catalogues/share-queries.ts";
import type { EventReads } from "#projections/queries/events/event-reads.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { finishDeletions } from "#services/commands/accounts/delete-user.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import { createImporter, type Importer } from "#services/commands/import/importer.ts";
import { createMerger } from "#services/commands/merge/merger.ts";
import { createSubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { buildApp } from "./build-app.ts";
import { openAnswerPlaces } from "./capacity/answer-places.ts";
import { bodyBudget } from "./capacity/body-budget.ts";
import type { PressureLimits } from "./capacity/pressure.ts";
import { createHandlers } from "./create-handlers.ts";
import { createExporter } from "./files/exporter.ts";
import { createUploadParser } from "./files/upload-parser.ts";
import { readinessChecks } from "./health/readiness-checks.ts";
import { API_VERSION } from "./http/standard-headers.ts";
import { createReservations } from "./idempotency/reservations.ts";
import { openJobs } from "./open-jobs.ts";
import { repeat, sweep } from "./sweep.ts";

export type GatewayDeps = {
  readonly config: Config & { readonly jwtSecret: string };
  readonly context: AccountContext;
  readonly reads: EventReads;
  readonly exportPool: Pool;
  readonly retryPool: Pool;
  /** For the database connections of merges and imports in worker threads. */
  readonly databaseUrl: string;
  readonly presence: Presence;
  readonly registry: Registry;
  /** Circuit breaker of all requests to the agency. */
  readonly breaker: Pick<CircuitBreaker, "run" | "state">;
  readonly eventLog: Pick<
    OperatedEventLog,
    "kind" | "head" | "subscribe" | "ordinal" | "stall" | "mismatch"
  >;
  /** Epoch in entity tags; null until the first restore of the log or the database. */
  readonly epoch: string | null;
  /** States of this process's parts of delivery, by part. */
  readonly deliveryStates: () => Readonly<Record<string, string>>;
  /** State of this process's publisher for Kafka; null when another process publishes. */
  readonly analyticsState: () => string | null;
  readonly logger: Logger;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers: boolean;
  readonly pressure: PressureLimits;
};

export type Gateway = {
  /** `http://address:port` of the listener. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** Concurrent requests to the agency, over all imports. */
const AGENCY_REQUESTS = 2;
const SECOND = 1_000;
const REVISIONS_SWEEP_MS = 5 * SECOND;
const DELETIONS_SWEEP_MS = 30 * SECOND;
const KEYS_SWEEP_MS = 10 * SECOND;
const NETWORKS_SWEEP_MS = 3_600 * SECOND;

/** Listens for requests; closing finishes those that run. */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, context, exportPool, retryPool, presence, logger } = deps;
  const { pool, now } = context;
  const { prepared } = deps.reads;
  const submissions = createSubmissionReader({
    databaseUrl: deps.databaseUrl,
    maxEvents: config.maxEventsPerRequest,
    now,
  });
  const exporter = createExporter();
  const uploads = createUploadParser({
    maxAnswerBytes: MAX_ANSWER_TIMES * config.maxUploadBytes,
  });
  const merger = createMerger(deps);
  const importer = openImporter(deps);
  const jobs = openJobs(context, presence, logger);
  const stopping = new AbortController();
  const checks = readinessChecks({ ...deps, pool, now }, await deps.eventLog.head());
  const places = openAnswerPlaces(deps.registry);
  const reservations = createReservations({ pool, presence: deps.presence });
  const app = await buildApp({
    reservations,
    metrics: createHttpMetrics(deps.registry),
    places,
    logger,
    jwtSecret: config.jwtSecret,
    publicBaseUrl: config.publicBaseUrl,
    corsOrigins: config.corsOrigins,
    trustProxy: config.trustProxy,
    rateLimits: {
      read: config.rateLimitReadPerMinute,
      clients: config.rateLimitClientsPerMinute,
      write: config.rateLimitWritePerMinute,
      auth: config.rateLimitAuthPer15Minutes,
    },
    maxBodyBytes: config.maxBodyBytes,
    bodyBudgetBytes: bodyBudget(config.maxBodyBytes),
    maxUploadBytes: config.maxUploadBytes,
    checkAnswers: deps.checkAnswers,
    epoch: deps.epoch,
    pressure: deps.pressure,
    isPublicCatalogue: (catalogueId) => isPublicCatalogue(prepared, catalogueId),
    sharedCatalogue: (secret) => useShare(pool, prepared, secret, now()),
    readActor: ({ sub, sid }) => readSession(prepared, { userId: sub, sessionId: sid, now: now() }),
    createHandlers: (tools) =>
      createHandlers({
        ...tools,
        config,
        context,
        reads: deps.reads,
        exportPool,
        retryPool,
        exporter,
        submissions,
        uploads,
        merger,
        importer,
        jobs,
        stopping: stopping.signal,
        checks,
        registry: deps.registry,
      }),
  });
  const sweeps = [
    sweep(
      "revisions",
      REVISIONS_SWEEP_MS,
      () => abandonRevisionsOfTheDead(context, presence),
      logger,
    ),
    sweep("deletions of users", DELETIONS_SWEEP_MS, () => finishDeletions(context), logger),
    repeat(KEYS_SWEEP_MS, reservations.sweep, (error) =>
      logger.warn({ err: error }, "idempotency keys cannot be cleared away"),
    ),
    repeat(
      NETWORKS_SWEEP_MS,
      () => forgetOldNetworks(pool),
      (error) => logger.warn({ err: error }, "old networks cannot be cleared away"),
    ),
  ];
  const close = async (): Promise<void> => {
    // Event streams do not end by themselves, and the application waits for its answers.
    stopping.abort();
    await Promise.all([app.close(), jobs.close()]);
    for (const sweeping of sweeps) await sweeping.close();
    await submissions.close();
    await uploads.close();
    await exporter.close();
    await merger.close();
    await importer.close();
  };
  try {
    return { url: await app.listen({ host: config.host, port: config.port }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openImporter({ config, databaseUrl, breaker }: GatewayDeps): Importer {
  return createImporter({
    databaseUrl,
    agency: {
      url: config.agencyUrl,
      name: config.agencyName,
      userAgent: `earthquake-catalogue-service/${API_VERSION} (+${config.publicBaseUrl})`,
      timeoutMs: config.agencyTimeoutMs,
      retries: config.agencyRetries,
    },
    gate: { breaker, slots: createRequestSlots(AGENCY_REQUESTS) },
  });
}
