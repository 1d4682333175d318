import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { PROJECTIONS } from "#contracts/names.ts";
import { createCircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import type { Config } from "#infra/config/config.ts";
import type { OperatedEventLog } from "#infra/event-log/event-log.ts";
import { type OpenedLog, openKnownLog } from "#infra/event-log/open/open-known-log.ts";
import type { Lifecycle } from "#infra/lifecycle/lifecycle.ts";
import { type Logger, subsystemLogger } from "#infra/logging/logger.ts";
import { createBatchMetrics } from "#infra/metrics/batch-metrics.ts";
import { type PoolUse, useOfDatabase, useOfPgPool } from "#infra/metrics/pool-metrics.ts";
import { createMetricsRegistry } from "#infra/metrics/registry.ts";
import { type OpenSocket, watchDatabase } from "#infra/postgres/database-watch.ts";
import { newHolder } from "#infra/postgres/lease.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import { createPreparedStatements } from "#infra/postgres/prepared-statements.ts";
import { createPresence } from "#infra/postgres/presence.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import {
  createPositionWaits,
  NotVisibleYet,
  type PositionWaits,
} from "#projections/engine/wait-for-position.ts";
import { type EventReads, openEventReads } from "#projections/queries/events/event-reads.ts";
import { MAX_EXPORTS } from "./gateway/capacity/answer-limits.ts";
import { PRESSURE, type PressureLimits } from "./gateway/capacity/pressure.ts";
import { startGateway } from "./gateway/start-gateway.ts";
import { openAccountContext } from "./open-account-context.ts";
import { type AnalyticsState, openAnalytics } from "./open-analytics.ts";
import { type DeliveryStates, openDelivery } from "./open-delivery.ts";
import { startProjector } from "./projector/start-projector.ts";
import { serviceMetrics } from "./service-metrics.ts";

export type ServiceOptions = {
  /** For a gateway, with the secret of sessions. */
  readonly config: Config;
  readonly databaseUrl: string;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Lines of the log lost since the start, for the metrics. */
  readonly droppedLogLines?: () => number;
  /** Called when a part cannot continue, for example a projector at an unknown event. */
  readonly onFatal: (error: unknown) => void;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean;
  /** Limits beyond which requests are shed; measured ones by default. */
  readonly pressure?: PressureLimits;
};

type WatchedOptions = ServiceOptions & { readonly openSocket: OpenSocket };

export type Service = {
  /** Where the gateway listens; null without a gateway in this process. */
  readonly url: string | null;
};

/**
 * Runs the configured roles: migrates, opens shared resources, starts them. The lifecycle closes
 * everything in reverse order.
 */
export async function startService(given: ServiceOptions): Promise<Service> {
  const { config, databaseUrl, lifecycle, logger } = given;
  await migrate(databaseUrl, { log: subsystemLogger(logger, "migrations") });
  const { openSocket, close } = watchDatabase(databaseUrl, subsystemLogger(logger, "database"));
  // Closed last: until then, callers waiting for a frozen database must fail.
  lifecycle.onClose("database watch", close);
  const options: WatchedOptions = { ...given, openSocket };
  const { log, epoch } = await openKnownLog({
    databaseUrl,
    eventStoreUrl: config.eventStoreUrl,
    openSocket,
    log: subsystemLogger(logger, "event-log"),
  });
  lifecycle.onClose("event log", log.close);
  const metrics: ProcessMetrics = {
    registry: createMetricsRegistry(given.droppedLogLines ?? (() => 0)),
    pools: new Map(),
  };
  if (log.connections) metrics.pools.set("event-log", log.connections);
  const reads = config.roles.has("gateway") ? openReads(options, metrics) : null;
  if (config.roles.has("projector")) openProjector(options, log, metrics, reads?.waits);
  const publishing = {
    deliveryStates: await openDelivery({ ...options, log }),
    analyticsState: await openAnalytics({ ...options, log }),
  };
  if (reads === null) return { url: null };
  return { url: await openGateway(options, log, metrics, { ...publishing, ...reads, epoch }) };
}

type Publishing = {
  readonly deliveryStates: DeliveryStates;
  readonly analyticsState: AnalyticsState;
};

type Reading = { readonly reads: EventReads; readonly waits: PositionWaits };

/** Opens the connections for answering requests; the projector reports its progress to them. */
function openReads(
  { databaseUrl, lifecycle, logger, openSocket }: WatchedOptions,
  { pools }: ProcessMetrics,
): Reading {
  const reads = openEventReads(databaseUrl, subsystemLogger(logger, "gateway"), openSocket);
  lifecycle.onClose("pages' connections", reads.close);
  pools.set("lookups", reads.prepared.inUse);
  pools.set("pages", () => useOfPgPool(reads.pool));
  pools.set("walks", reads.walks.inUse);
  return { reads, waits: createPositionWaits(reads.prepared) };
}

type ProcessMetrics = { readonly registry: Registry; readonly pools: Map<string, () => PoolUse> };

function openProjector(
  options: WatchedOptions,
  log: OperatedEventLog,
  { registry, pools }: ProcessMetrics,
  waits: PositionWaits | undefined,
): void {
  const measure = createBatchMetrics(registry);
  const { databaseUrl, lifecycle, onFatal, openSocket } = options;
  const holder = newHolder();
  const applicationName = `projector ${holder}`;
  const pool: Pool = createPgPool(databaseUrl, { applicationName, openSocket });
  lifecycle.onClose("projector's connections", () => pool.end());
  pools.set("projector", () => useOfPgPool(pool));
  const projector = startProjector({
    databaseUrl,
    openSocket,
    log,
    pool,
    projections: ALL_PROJECTIONS,
    holder,
    logger: subsystemLogger(options.logger, "projector"),
    observe: (batch) => {
      measure(batch);
      waits?.applied(batch.projection, batch.position);
    },
    onFatal,
  });
  lifecycle.onClose("projector", projector.close);
}

async function openGateway(
  options: WatchedOptions,
  log: OperatedEventLog,
  { registry, pools }: ProcessMetrics,
  { reads, waits, epoch, ...publishing }: Publishing & Reading & Pick<OpenedLog, "epoch">,
): Promise<string> {
  const { config, databaseUrl, lifecycle, openSocket } = options;
  const { jwtSecret } = config;
  if (jwtSecret === null) throw new Error("a gateway needs the secret of sessions");
  const { checkAnswers = false, pressure = PRESSURE } = options;
  const logger = subsystemLogger(options.logger, "gateway");
  const connections = { log: logger, openSocket };
  const pool = await createDatabase(databaseUrl, { ...connections, applicationName: "gateway" });
  lifecycle.onClose("gateway's connections", () => pool.end());
  const exportPool = createPgPool(databaseUrl, {
    ...connections,
    applicationName: "export",
    maxConnections: MAX_EXPORTS,
    // No limit: a large export to a slow client takes long; when its client disconnects it is ended,
    // even while sorting.
    statementTimeoutMs: 0,
    settings: { client_connection_check_interval: "2s" },
  });
  lifecycle.onClose("exports' connections", () => exportPool.end());
  pools.set("export", () => useOfPgPool(exportPool));
  // A separate pool, so that parked events can be retried while slow clients hold all connections
  // for exports.
  const retryPool = createPgPool(databaseUrl, {
    ...connections,
    applicationName: "retries",
    maxConnections: 2,
  });
  lifecycle.onClose("retries' connections", () => retryPool.end());
  pools.set("retries", () => useOfPgPool(retryPool));
  const presence = await createPresence(databaseUrl, {
    ...connections,
    applicationName: "gateway presence",
  });
  lifecycle.onClose("presence", presence.close);
  // Counts every error that it is given: imports pass on only failures of the agency.
  const breaker = createCircuitBreaker({ name: config.agencyName });
  lifecycle.onClose("circuit breaker", breaker.close);
  pools.set("gateway", () => useOfDatabase(pool));
  const circuits = { [config.agencyName]: breaker };
  const collectors = [...serviceMetrics({ pool, log, circuits, pools })];
  for (const collect of collectors) collect(registry);
  const vault = createPreparedStatements(databaseUrl, {
    ...connections,
    applicationName: "vault",
  });
  lifecycle.onClose("vault's connections", vault.close);
  pools.set("vault", vault.inUse);
  const lookups = reads.prepared;
  const accounts = { config, log, pool, lookups, vault, waits, presence, logger };
  const { context, administratorAt } = await openAccountContext(accounts);
  // The first administrator must be able to sign in once the gateway listens.
  if (config.admin && config.roles.has("projector")) {
    // The log's head may still precede an account created just now (decision 0001).
    const visible = context.waitFor(PROJECTIONS.users, administratorAt ?? (await log.head()));
    // A read model being built from the start of the log takes longer; readiness shows its lag.
    await visible.catch((error: unknown) => {
      if (!(error instanceof NotVisibleYet)) throw error;
    });
  }
  const gateway = await startGateway({
    config: { ...config, jwtSecret },
    context,
    reads,
    exportPool,
    retryPool,
    databaseUrl,
    presence,
    breaker,
    registry,
    epoch,
    eventLog: log,
    ...publishing,
    logger,
    checkAnswers,
    pressure,
  });
  lifecycle.onClose("gateway", gateway.close);
  return gateway.url;
}
