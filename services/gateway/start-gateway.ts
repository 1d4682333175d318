import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Config } from "#infra/config/config.ts";
import { createHttpMetrics } from "#infra/metrics/http-metrics.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import {
  noteTokenUse,
  readAccessToken,
} from "#projections/queries/accounts/access-token-queries.ts";
import { readSession } from "#projections/queries/accounts/user-queries.ts";
import { useShare } from "#projections/queries/catalogues/share-queries.ts";
import { catalogueFacts, hiddenAmong } from "#projections/queries/rights/reader-rights.ts";
import { createRegions } from "#services/regions/regions.ts";
import { type AccessTokens, tokenActor } from "./auth/token-authentication.ts";
import { type AppDeps, buildApp } from "./build-app.ts";
import { openAnswerPlaces } from "./capacity/answer-places.ts";
import { createStreamPlaces } from "./capacity/stream-places.ts";
import { createHandlers } from "./create-handlers.ts";
import { openFeeds } from "./feed/feeds.ts";
import { type ReadinessDeps, readinessChecks } from "./health/readiness-checks.ts";
import type { Actor } from "./http/handler.ts";
import { createKeptAnalyses } from "./http/kept-analyses.ts";
import { createReservations } from "./idempotency/reservations.ts";
import { openFollows } from "./open-follows.ts";
import { openJobs } from "./open-jobs.ts";
import { openPushes } from "./open-pushes.ts";
import { openSchedules } from "./open-schedules.ts";
import { openWorkers, type WorkersDeps } from "./open-workers.ts";
import type { HandlerDeps } from "./routes/make-handler.ts";
import { startSweeps } from "./sweep.ts";
import { openGatewayThreads } from "./threads/gateway-threads.ts";

export type GatewayDeps = Pick<
  HandlerDeps,
  | "context"
  | "reads"
  | "versionHistories"
  | "exportPool"
  | "retryPool"
  | "setupCode"
  | "provider"
  | "agencies"
> &
  Pick<WorkersDeps, "databaseUrl" | "gates"> &
  Pick<AppDeps, "epoch" | "checkAnswers" | "console" | "pressure"> &
  Pick<ReadinessDeps, "eventLog" | "deliveryStates" | "feedStates" | "circuits"> & {
    readonly config: Config & { readonly jwtSecret: string };
    readonly presence: Presence;
    readonly openSocket?: OpenSocket | undefined;
    readonly registry: Registry;
    readonly logger: Logger;
  };

export type Gateway = {
  /** `http://address:port` of the listener. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

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
  const accessTokens: AccessTokens = {
    find: (token) => readAccessToken(lookups, token, now()),
    noteUse: (token) => noteTokenUse(pool, token, now()),
  };
  const workers = openWorkers(threads, deps);
  const regions = createRegions(lookups);
  const scheduler = openSchedules({ ...deps, ...workers, regions });
  const follower = openFollows({ ...deps, ...workers });
  const pushes = openPushes({ ...deps, regions, scheduler });
  const ofHandlers = {
    ...deps,
    ...context,
    ...config,
    ...workers,
    ...jobs,
    scheduler,
    feeds,
    streamPlaces,
    readActorAgain: ({ userId, sessionId, token }: Actor) =>
      token ? tokenActor(accessTokens, token.id) : readActor({ sub: userId, sid: sessionId }),
    keptAnalyses: createKeptAnalyses(places.ofWork("analyses")),
    lookups,
    checks: readinessChecks({ ...deps, pool, now }, await deps.eventLog.head()),
  };
  const app = await buildApp({
    ...deps,
    regions,
    reservations,
    hiddenFrom: (ids, reader) => hiddenAmong(lookups, ids, reader),
    metrics: createHttpMetrics(registry),
    places,
    catalogueFacts: (catalogueId, reader) => catalogueFacts(lookups, catalogueId, reader),
    sharedCatalogue: (secret) => useShare(pool, lookups, secret, now()),
    readActor,
    accessTokens,
    createHandlers: (tools) =>
      createHandlers({ ...ofHandlers, ...tools, stopping: stopping.signal }),
  });
  const sweeps = startSweeps({ context, presence, reservations, logger });
  const close = async (): Promise<void> => {
    // Event streams do not end by themselves, and the application waits for its answers.
    stopping.abort();
    await feeds.close();
    await Promise.all([
      app.close(),
      jobs.close(),
      pushes.close(),
      scheduler.close(),
      follower.close(),
    ]);
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
