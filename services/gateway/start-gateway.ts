import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { MAX_ANSWER_TIMES } from "#contracts/http/upload.ts";
import type { CircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import type { Config } from "#infra/config/config.ts";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { createHttpMetrics } from "#infra/metrics/http-metrics.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import { readSession } from "#projections/queries/accounts/user-queries.ts";
import { isPublicCatalogue } from "#projections/queries/catalogues/catalogue-queries.ts";
import { useShare } from "#projections/queries/catalogues/share-queries.ts";
import { createKnownValues } from "#projections/queries/clients/known-values.ts";
import { createComparer } from "#services/analytics/comparer.ts";
import { createDeclusterer } from "#services/analytics/declusterer.ts";
import { createImporter, type Importer } from "#services/commands/import/importer.ts";
import { createMerger } from "#services/commands/merge/merger.ts";
import { createRestorer } from "#services/commands/restore/restorer.ts";
import { createSubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { createVersionHasher } from "#services/versions/version-hasher.ts";
import { type AppDeps, buildApp } from "./build-app.ts";
import { openAnswerPlaces } from "./capacity/answer-places.ts";
import { createStreamPlaces } from "./capacity/stream-places.ts";
import { createHandlers } from "./create-handlers.ts";
import { openFeeds } from "./feed/feeds.ts";
import { createExporter } from "./files/exporter.ts";
import { createUploadParser } from "./files/upload-parser.ts";
import { type ReadinessDeps, readinessChecks } from "./health/readiness-checks.ts";
import { API_VERSION } from "./http/headers/standard-headers.ts";
import { createKeptAnalyses } from "./http/kept-analyses.ts";
import { createReservations } from "./idempotency/reservations.ts";
import { openJobs } from "./open-jobs.ts";
import type { HandlerDeps } from "./routes/make-handler.ts";
import { startSweeps } from "./sweep.ts";
import { type GatewayThreads, openGatewayThreads } from "./threads/gateway-threads.ts";

export type GatewayDeps = Pick<
  HandlerDeps,
  "context" | "reads" | "versionHistories" | "exportPool" | "retryPool" | "setupCode"
> &
  Pick<AppDeps, "epoch" | "checkAnswers" | "console" | "pressure"> &
  Pick<ReadinessDeps, "eventLog" | "deliveryStates" | "feedStates"> & {
    readonly config: Config & { readonly jwtSecret: string };
    /** For the database connections of merges and imports in worker threads. */
    readonly databaseUrl: string;
    readonly presence: Presence;
    readonly registry: Registry;
    /** Circuit breaker of all requests to the agency. */
    readonly breaker: Pick<CircuitBreaker, "run" | "state">;
    readonly logger: Logger;
  };

export type Gateway = {
  /** `http://address:port` of the listener. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** Concurrent requests to the agency, over all imports. */
const AGENCY_REQUESTS = 2;

/** Listens for requests; closing finishes those that run. */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, context, presence, registry, logger } = deps;
  const { pool, now } = context;
  const { prepared: lookups } = deps.reads;
  const { threads, close: closeThreads } = openGatewayThreads();
  const places = openAnswerPlaces(registry);
  const jobs = openJobs(context, presence, logger);
  const streamPlaces = createStreamPlaces({ limit: config.feedStreams });
  const feeds = openFeeds({ ...deps, streamPlaces });
  const stopping = new AbortController();
  const reservations = createReservations({ pool, presence });
  const readActor: AppDeps["readActor"] = ({ sub, sid }) =>
    readSession(lookups, { userId: sub, sessionId: sid, now: now() });
  const ofHandlers = {
    ...deps,
    ...context,
    ...config,
    ...workersOf(threads, deps),
    ...jobs,
    feeds,
    streamPlaces,
    readActor,
    keptAnalyses: createKeptAnalyses(places.ofWork("analyses")),
    lookups,
    checks: readinessChecks({ ...deps, pool, now }, await deps.eventLog.head()),
  };
  const app = await buildApp({
    ...deps,
    reservations,
    metrics: createHttpMetrics(registry),
    places,
    isPublicCatalogue: (catalogueId) => isPublicCatalogue(lookups, catalogueId),
    sharedCatalogue: (secret) => useShare(pool, lookups, secret, now()),
    readActor,
    createHandlers: (tools) =>
      createHandlers({ ...ofHandlers, ...tools, stopping: stopping.signal }),
  });
  const sweeps = startSweeps({ context, presence, reservations, logger });
  const close = async (): Promise<void> => {
    // Event streams do not end by themselves, and the application waits for its answers.
    stopping.abort();
    await feeds.close();
    await Promise.all([app.close(), jobs.close()]);
    await sweeps.close();
    await closeThreads();
  };
  return listen(app, config, close);
}

async function listen(
  app: Pick<FastifyInstance, "listen">,
  { host, port }: Config,
  close: () => Promise<void>,
): Promise<Gateway> {
  try {
    return { url: await app.listen({ host, port }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What does the work of handlers. */
function workersOf(threads: GatewayThreads, deps: GatewayDeps) {
  const { context, config, databaseUrl } = deps;
  const { pool, now } = context;
  const { maxEventsPerRequest: maxEvents, maxUploadBytes: maxFileBytes } = config;
  const maxAnswerBytes = MAX_ANSWER_TIMES * maxFileBytes;
  return {
    threads,
    submissions: createSubmissionReader(threads.submissions, { databaseUrl, maxEvents, now }),
    uploads: createUploadParser(threads.uploads, { maxAnswerBytes, maxFileBytes }),
    exporter: createExporter(threads.exports),
    merger: createMerger(threads.merges, deps),
    restorer: createRestorer(threads.restores, deps),
    declusterer: createDeclusterer(threads.declustering, deps),
    comparer: createComparer(threads.comparisons, deps),
    versionHasher: createVersionHasher(threads.hashes, { databaseUrl, pool }),
    importer: openImporter(threads, deps),
    knownValues: createKnownValues(pool),
  };
}

function openImporter(
  { imports }: GatewayThreads,
  { config, databaseUrl, breaker }: GatewayDeps,
): Importer {
  return createImporter(imports, {
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
