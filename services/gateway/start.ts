import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import { COLUMNS_LIMITS } from "#contracts/query/packed-columns.ts";
import type { Config } from "#infra/config/config.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import { createHttpMetrics, gauges } from "#infra/process/metrics.ts";
import { noteTokenUse, readAccessToken, readSession } from "#projections/read/accounts.ts";
import { useShare } from "#projections/read/catalogues.ts";
import { createKnownValues } from "#projections/read/clients.ts";
import { followFigures } from "#projections/read/merges/merge.ts";
import { catalogueFacts, hiddenAmong, thereAmong } from "#projections/read/rights.ts";
import { createKeptAnalyses } from "#services/analytics/commands.ts";
import { type AgencyGates, createImporter } from "#services/imports/agencies.ts";
import { handlersOfJobs } from "#services/jobs/handlers.ts";
import { createPairFinder } from "#services/merges/commands.ts";
import { createFollower, type Follower, type FollowerDeps } from "#services/merges/follower.ts";
import { createRegions } from "#services/regions/commands.ts";
import { handlersOfRegions } from "#services/regions/handlers.ts";
import { handlersOfUploads } from "#services/uploads/handlers.ts";
import { createVersionHasher } from "#services/versions/history.ts";
import { handlersOfAccounts, handlersOfSetup } from "../accounts/handlers.ts";
import { handlersOfInstitute } from "../accounts/sessions.ts";
import { handlersOfAnalytics } from "../analytics/handlers.ts";
import { handlersOfPlots } from "../analytics/plots.ts";
import { handlersOfAudit } from "../audit/handlers.ts";
import { handlersOfCatalogues } from "../catalogues/handlers.ts";
import { handlersOfEventService, handlersOfSummaryFeeds } from "../clients/facade.ts";
import { handlersOfFeatures } from "../clients/ogc.ts";
import { handlersOfEvents } from "../events/handlers.ts";
import type { Actor, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { handlersOfImports } from "../imports/handlers.ts";
import { handlersOfMerges } from "../merges/handlers.ts";
import { handlersOfParts } from "../parts/handlers.ts";
import { keepParts } from "../parts/keeper.ts";
import { openGatewayThreads } from "../threads.ts";
import { openAnswerPlaces } from "../turns.ts";
import { handlersOfVersions } from "../versions/handlers.ts";
import { type AppDeps, buildApp } from "./app.ts";
import { type AccessTokens, tokenActor } from "./authentication.ts";
import { openJobs, openPushes, openSchedules, startSweeps } from "./background.ts";
import { openFeeds } from "./feed/feeds.ts";
import { handlersOfFeeds } from "./feed/handlers.ts";
import { createStreamPlaces } from "./feed/streams.ts";
import { type ReadinessDeps, readinessChecks } from "./health/checks.ts";
import { handlersOfService } from "./health/handlers.ts";
import { createKeptAnswers } from "./kept.ts";
import { createReservations } from "./once.ts";

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
  Partial<Pick<HandlerDeps, "columnsLimits">> &
  Pick<AppDeps, "epoch" | "checkAnswers" | "console" | "pressure"> &
  Pick<ReadinessDeps, "eventLog" | "deliveryStates" | "feedStates" | "circuits"> & {
    readonly config: Config & { readonly jwtSecret: string };
    readonly databaseUrl: string;
    readonly gates: Pick<AgencyGates, "of">;
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
  const { threads, close: closeThreads } = openGatewayThreads(deps.databaseUrl);
  const places = openAnswerPlaces(registry);
  const kept = createRecent<object>(config.keptBytes);
  const repeated = new Counter({
    name: "repeated_answers_total",
    help: "Answers that were given again as they had been sent",
    registers: [registry],
  });
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
  const workers = {
    threads,
    refreshing: new Set<string>(),
    keepPairs: createPairFinder(threads, pool),
    hashVersion: createVersionHasher(threads, pool),
    importer: createImporter(threads.imports, deps.gates.of),
    messageImporter: createImporter(threads.messages, deps.gates.of),
    knownValues: createKnownValues(),
  };
  const regions = createRegions(lookups);
  const scheduler = openSchedules({ ...deps, ...workers, regions });
  const follower = openFollows({ ...deps, ...workers });
  const parts = keepParts({ ...deps, threads, partsDir: config.partsDir });
  const pushes = openPushes({ ...deps, regions, scheduler });
  const ofHandlers = {
    columnsLimits: COLUMNS_LIMITS,
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
    keptAnalyses: createKeptAnalyses(places.ofWork("analyses"), kept),
    lookups,
    checks: readinessChecks({ ...deps, pool, now }, await deps.eventLog.head()),
  };
  const app = await buildApp({
    ...deps,
    regions,
    keptAnswers: createKeptAnswers(kept, regions, now, () => repeated.inc()),
    reservations,
    hiddenFrom: (ids, reader) => hiddenAmong(lookups, ids, reader),
    metrics: createHttpMetrics(registry),
    places,
    catalogueFacts: (catalogueId, reader) => catalogueFacts(lookups, catalogueId, reader),
    thereAmong: (ids, reader) => thereAmong(lookups, ids, reader),
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
      parts.close(),
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

const POLL_MS = 2_000;

type OpenFollowsDeps = Omit<FollowerDeps, "onOutcome" | "pollMs"> & {
  readonly registry: Registry;
};

/** Opens what refreshes merges by themselves in this process, with its metrics. */
function openFollows({ registry, ...deps }: OpenFollowsDeps): Follower {
  const runs = new Counter({
    name: "merge_follow_runs_total",
    help: "Refreshes that merges had by themselves in this process by how they ended",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const figures = () => followFigures(deps.context.pool);
  const collect = gauges([
    {
      name: "merges_behind",
      help: "Merges that are refreshed by themselves and behind a source",
      read: async () => [{ value: (await figures()).behind }],
    },
    {
      name: "merges_parked",
      help: "Merges that are not refreshed by themselves any more after failures in a row",
      read: async () => [{ value: (await figures()).parked }],
    },
  ]);
  collect(registry);
  const onOutcome: FollowerDeps["onOutcome"] = (outcome) => runs.inc({ outcome });
  return createFollower({ ...deps, onOutcome, pollMs: POLL_MS });
}

/** A handler for every operation of the table. */
function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...handlersOfAccounts(deps),
    ...handlersOfAnalytics(deps),
    ...handlersOfAudit(deps),
    ...handlersOfCatalogues(deps),
    ...handlersOfEvents(deps),
    ...handlersOfEventService(deps),
    ...handlersOfFeatures(deps),
    ...handlersOfInstitute(deps),
    ...handlersOfMerges(deps),
    ...handlersOfParts(deps),
    ...handlersOfPlots(deps),
    ...handlersOfImports(deps),
    ...handlersOfSetup(deps),
    ...handlersOfVersions(deps),
    ...handlersOfSummaryFeeds(deps),
    ...handlersOfFeeds(deps),
    ...handlersOfUploads(deps),
    ...handlersOfRegions(deps),
    ...handlersOfJobs(deps),
    ...handlersOfService(deps),
  };
}
