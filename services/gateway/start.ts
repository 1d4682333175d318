import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import { COLUMNS_LIMITS } from "#contracts/query/packed-columns.ts";
import { DAY_MS } from "#contracts/units.ts";
import { PUSH_TIMES } from "#infra/agency/push.ts";
import type { Config } from "#infra/config/config.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { repeat } from "#infra/kernel/waiting.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { type Presence, withLease } from "#infra/postgres/coordination.ts";
import type { Logger as PushLogger } from "#infra/process/logger.ts";
import { createHttpMetrics, gauges } from "#infra/process/metrics.ts";
import { dropOldResults } from "#infra/stores/declustering.ts";
import { createJobStore, type JobStore } from "#infra/stores/jobs.ts";
import { dropOldUploads } from "#infra/stores/uploads.ts";
import { forgetOldNetworks } from "#infra/vault/credentials.ts";
import { noteTokenUse, readAccessToken, readSession } from "#projections/read/accounts.ts";
import { useShare } from "#projections/read/catalogues.ts";
import { createKnownValues } from "#projections/read/clients.ts";
import { followFigures } from "#projections/read/merges/merge.ts";
import { catalogueFacts, hiddenAmong, thereAmong } from "#projections/read/rights.ts";
import { scheduleFigures } from "#projections/read/schedules.ts";
import { finishDeletions } from "../accounts/commands.ts";
import { handlersOfAccounts, handlersOfSetup } from "../accounts/handlers.ts";
import { handlersOfInstitute } from "../accounts/sessions.ts";
import { handlersOfAlerts } from "../alerts/handlers.ts";
import { createKeptAnalyses } from "../analytics/commands.ts";
import { handlersOfAnalytics } from "../analytics/handlers.ts";
import { handlersOfPlots } from "../analytics/plots.ts";
import { handlersOfAudit } from "../audit/handlers.ts";
import { handlersOfCatalogues } from "../catalogues/handlers.ts";
import { handlersOfEventService, handlersOfSummaryFeeds } from "../clients/facade.ts";
import { handlersOfFeatures } from "../clients/ogc.ts";
import type { CommandContext } from "../context.ts";
import { errorAnswer, isNoFault } from "../errors.ts";
import { handlersOfEvents } from "../events/handlers.ts";
import type { Actor, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { type AgencyGates, createImporter } from "../imports/agencies.ts";
import { handlersOfImports } from "../imports/handlers.ts";
import {
  createDeliveries,
  type DeliveriesDeps,
  type KeepPushesDeps,
  keepPushes,
  type PushCounts,
} from "../imports/pushes.ts";
import {
  createScheduler,
  forgetEnded,
  type RunOutcome,
  type Scheduler,
  type SchedulerDeps,
} from "../imports/schedules.ts";
import { handlersOfJobs } from "../jobs/handlers.ts";
import { createPairFinder, forgetDeleted } from "../merges/commands.ts";
import { createFollower, type Follower, type FollowerDeps } from "../merges/follower.ts";
import { handlersOfMerges } from "../merges/handlers.ts";
import { handlersOfParts } from "../parts/handlers.ts";
import { keepParts } from "../parts/keeper.ts";
import { createRegions } from "../regions/commands.ts";
import { handlersOfRegions } from "../regions/handlers.ts";
import { abandonRevisionsOfTheDead } from "../revision.ts";
import { openGatewayThreads } from "../threads.ts";
import { openAnswerPlaces } from "../turns.ts";
import { handlersOfUploads } from "../uploads/handlers.ts";
import { handlersOfVersions } from "../versions/handlers.ts";
import { createVersionHasher } from "../versions/history.ts";
import { createJobRunner, type JobRunner, runsOfTheDead } from "../works.ts";
import { type AppDeps, buildApp } from "./app.ts";
import { type AccessTokens, tokenActor } from "./authentication.ts";
import { openFeeds } from "./feed/feeds.ts";
import { handlersOfFeeds } from "./feed/handlers.ts";
import { createStreamPlaces } from "./feed/streams.ts";
import { type ReadinessDeps, readinessChecks } from "./health/checks.ts";
import { handlersOfService } from "./health/handlers.ts";
import { createKeptAnswers } from "./kept.ts";
import { createReservations, type Reservations } from "./once.ts";

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

type Gateway = {
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
    ...handlersOfAlerts(deps),
    ...handlersOfJobs(deps),
    ...handlersOfService(deps),
  };
}

/**
 * What a gateway does beside its requests: jobs, schedules, messages of agencies, and sweeps
 * after dead processes and of what has expired.
 */

const SWEEP_MS = 5_000;

/** Opens the runner of this process's jobs, and the sweep for jobs of dead processes. */
function openJobs(
  { pool, worker, newId, now }: CommandContext,
  presence: Presence,
  logger: Logger,
) {
  const store = createJobStore(pool);
  const describe = (error: unknown) => {
    const { retryAfter: _, error: text, code, details, ...others } = errorAnswer(error).body;
    const known = { error: text, ...(code && { code }) };
    return { ...known, ...(details && { details: [...details] }), ...others };
  };
  const runner = createJobRunner({ store, worker, newId, describe, isNoFault, logger });
  const abandoned = { store, presence, runner };
  const sweeping = sweep("operations", SWEEP_MS, () => failAbandonedJobs(abandoned, now()), logger);
  return {
    store,
    runner,
    close: async (): Promise<void> => {
      await runner.close();
      await sweeping.close();
    },
  };
}

const KEPT_MS = 7 * DAY_MS;

const ABANDONED = {
  error: "The process that ran the operation has ended; start it again",
  code: "UNAVAILABLE",
} as const;

type AbandonedDeps = {
  readonly store: JobStore;
  readonly presence: Pick<Presence, "key" | "alive">;
  readonly runner: Pick<JobRunner, "has">;
};

/**
 * Ends jobs of dead processes as failed, and deletes those that ended a week ago.
 * @returns the number of failed jobs
 */
export async function failAbandonedJobs(
  { store, presence, runner }: AbandonedDeps,
  now: Date,
): Promise<number> {
  await store.removeEndedBefore(new Date(now.getTime() - KEPT_MS));
  const running = await store.running();
  const abandoned = await runsOfTheDead(running, presence.key, presence.alive, ({ id }) =>
    runner.has(id),
  );
  for (const { id } of abandoned) await store.finish(id, { status: "failed", error: ABANDONED });
  return abandoned.length;
}

const SCHEDULES_POLL_MS = 2_000;

type OpenSchedulesDeps = Omit<SchedulerDeps, "onOutcome" | "pollMs"> & {
  readonly registry: Registry;
};

/** Opens what runs schedules in this process, with its metrics. */
function openSchedules({ registry, ...deps }: OpenSchedulesDeps): Scheduler {
  measureSchedules(registry, deps);
  return createScheduler({ ...deps, onOutcome: countRuns(registry), pollMs: SCHEDULES_POLL_MS });
}

function countRuns(registry: Registry): (outcome: RunOutcome) => void {
  const runs = new Counter({
    name: "schedule_runs_total",
    help: "Runs of schedules in this process by how they ended",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return (outcome) => runs.inc({ outcome });
}

function measureSchedules(registry: Registry, { context }: Pick<SchedulerDeps, "context">): void {
  const figures = () => scheduleFigures(context.pool, context.now());
  const collect = gauges([
    {
      name: "schedules_due",
      help: "Schedules that are due and wait for a process",
      read: async () => [{ value: (await figures()).due }],
    },
    {
      name: "schedules_late",
      help: "Schedules that have been due for more than five minutes",
      read: async () => [{ value: (await figures()).late }],
    },
    {
      name: "schedule_last_whole_age_seconds",
      help: "Longest time since a schedule that is not paused began to read its window whole",
      read: async () => {
        const { age } = await figures();
        return age === null ? [] : [{ value: age }];
      },
    },
  ]);
  collect(registry);
}

const PUSHES_POLL_MS = 1_000;

type OpenPushesDeps = Pick<KeepPushesDeps, "agencies"> &
  Pick<DeliveriesDeps, "scheduler" | "regions"> & {
    readonly context: Pick<CommandContext, "pool" | "now">;
    readonly databaseUrl: string;
    readonly openSocket?: OpenSocket | undefined;
    readonly registry: Registry;
    readonly logger: PushLogger;
  };

/** Listens to agencies that send messages, in one process of all, and has schedules apply them. */
export function openPushes(deps: OpenPushesDeps): { readonly close: () => Promise<void> } {
  const { context, agencies, regions, scheduler, databaseUrl, openSocket, registry, logger } = deps;
  const { pool, now } = context;
  const stopping = new AbortController();
  let connected: readonly string[] = [];
  const counts = measurePushes(registry, () => connected);

  async function listen(signal: AbortSignal): Promise<void> {
    const deliveries = createDeliveries({ pool, now, regions, scheduler, logger, signal });
    const common = { pool, now, agencies, deliveries, counts, logger };
    const keeping = keepPushes(
      { ...common, times: PUSH_TIMES, pollMs: PUSHES_POLL_MS },
      signal,
      (ids) => {
        connected = ids;
      },
    );
    await keeping.finally(deliveries.settled);
  }

  const options = { signal: stopping.signal, log: logger, openSocket };
  const listening = withLease(databaseUrl, "messages of agencies", options, ({ signal }) =>
    listen(signal),
  ).catch((error: unknown) =>
    logger.error({ err: error }, "agencies are not listened to any more"),
  );

  return {
    close: async () => {
      stopping.abort();
      await listening;
    },
  };
}

function measurePushes(registry: Registry, connected: () => readonly string[]): PushCounts {
  const collect = gauges([
    {
      name: "agency_pushes_connected",
      help: "Agencies whose messages come to this process",
      labels: ["agency"],
      read: () => connected().map((agency) => ({ labels: { agency }, value: 1 })),
    },
  ]);
  collect(registry);
  const messages = new Counter({
    name: "agency_push_messages_total",
    help: "Messages of agencies by what they were",
    labelNames: ["agency", "outcome"],
    registers: [registry],
  });
  const floods = new Counter({
    name: "agency_push_floods_total",
    help: "How often an agency was left for a minute, as it sent too many messages",
    labelNames: ["agency"],
    registers: [registry],
  });
  const reconnections = new Counter({
    name: "agency_push_reconnections_total",
    help: "How often an agency that sends messages was connected again",
    labelNames: ["agency"],
    registers: [registry],
  });
  return {
    message: (agency, outcome) => messages.inc({ agency, outcome }),
    flooded: (agency) => floods.inc({ agency }),
    reconnected: (agency) => reconnections.inc({ agency }),
  };
}

/**
 * Cleans up after dead processes, now and every `everyMs`.
 * @param work returns how many cases it found
 */
function sweep(
  what: string,
  everyMs: number,
  work: () => Promise<number>,
  logger: Pick<Logger, "warn">,
): { readonly close: () => Promise<void> } {
  return repeat(
    everyMs,
    async () => {
      const count = await work();
      if (count > 0) logger.warn({ found: count, what }, "cleaned up after dead processes");
    },
    (error) => logger.warn({ err: error, what }, "the clean-up after dead processes failed"),
  );
}

type SweepDeps = {
  readonly context: CommandContext;
  readonly presence: Presence;
  readonly reservations: Reservations;
  readonly logger: Logger;
};

const SECOND = 1_000;
const RESULTS_KEPT_MS = 30 * 86_400 * SECOND;

/** Cleans up after dead processes and what has expired, until closed. */
function startSweeps({ context, presence, reservations, logger }: SweepDeps) {
  const clearing = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} cannot be cleared away`);
  const abandon = () => abandonRevisionsOfTheDead(context, presence);
  const forget = () => forgetOldNetworks(context.pool);
  const dropResults = () =>
    dropOldResults(context.pool, new Date(context.now().getTime() - RESULTS_KEPT_MS));
  const sweeps = [
    sweep("revisions", 5 * SECOND, abandon, logger),
    sweep("deletions of users", 30 * SECOND, () => finishDeletions(context), logger),
    repeat(10 * SECOND, reservations.sweep, clearing("idempotency keys")),
    repeat(3_600 * SECOND, forget, clearing("old networks")),
    repeat(3_600 * SECOND, dropResults, clearing("old results of declustering")),
    repeat(3_600 * SECOND, () => forgetEnded(context), clearing("ended schedules")),
    repeat(3_600 * SECOND, () => forgetDeleted(context), clearing("deleted merges")),
    repeat(3_600 * SECOND, () => dropOldUploads(context.pool), clearing("old uploads")),
  ];
  return {
    close: async (): Promise<void> => {
      for (const { close } of sweeps) await close();
    },
  };
}
