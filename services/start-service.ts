import { openKnownLog } from "#infra/event-log/open/open-known-log.ts";
import { subsystemLogger } from "#infra/logging/logger.ts";
import { createBatchMetrics } from "#infra/metrics/batch-metrics.ts";
import { useOfPgPool } from "#infra/metrics/pool-metrics.ts";
import { createMetricsRegistry } from "#infra/metrics/registry.ts";
import { watchDatabase } from "#infra/postgres/database-watch.ts";
import { newHolder } from "#infra/postgres/lease.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { untilReached } from "#infra/postgres/until-reached.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { createPositionWaits, type PositionWaits } from "#projections/engine/wait-for-position.ts";
import { openEventReads } from "#projections/queries/events/event-reads.ts";
import { openAnalytics } from "./open-analytics.ts";
import { openChanges } from "./open-changes.ts";
import { openDelivery } from "./open-delivery.ts";
import { openGateway, type Reading } from "./open-gateway.ts";
import { startProjector } from "./projector/start-projector.ts";
import { serveMetrics } from "./serve-metrics.ts";
import type { PartOptions, ServiceOptions } from "./service-options.ts";

export type Service = {
  /** Where the gateway listens; null without a gateway in this process. */
  readonly url: string | null;
  /** Whether the link for setting up is of use. */
  readonly isToBeSetUp: boolean;
};

/**
 * Runs the configured roles: migrates, opens shared resources, starts them. The lifecycle closes
 * everything in reverse order.
 */
export async function startService(service: ServiceOptions): Promise<Service> {
  const { config, databaseUrl, lifecycle, logger } = service;
  const patience = { log: subsystemLogger(logger, "database"), signal: lifecycle.signal };
  const migrations = { log: subsystemLogger(logger, "migrations") };
  await untilReached(() => migrate(databaseUrl, migrations), patience);
  const { openSocket, close } = watchDatabase(databaseUrl, patience.log);
  // Closed last: until then, callers waiting for a frozen database must fail.
  lifecycle.onClose("database watch", close);
  const { eventStoreUrl } = config;
  const wanted = {
    databaseUrl,
    eventStoreUrl,
    openSocket,
    log: subsystemLogger(logger, "event-log"),
  };
  const { log, epoch } = await untilReached(() => openKnownLog(wanted), patience);
  lifecycle.onClose("event log", log.close);
  const registry = createMetricsRegistry(service.droppedLogLines ?? (() => 0));
  if (config.metrics) {
    const metrics = await serveMetrics(config.metrics, registry);
    lifecycle.onClose("metrics", metrics.close);
    logger.info(`Metrics on ${metrics.url}`);
  }
  const options: PartOptions = { ...service, openSocket, log, registry, pools: new Map() };
  if (log.connections) options.pools.set("event-log", log.connections);
  const reads = config.roles.has("gateway") ? openReads(options) : null;
  if (config.roles.has("projector")) openProjector(options, reads?.waits);
  const publishing = {
    deliveryStates: await openDelivery(options),
    feedStates: { changes: await openChanges(options), analytics: await openAnalytics(options) },
  };
  if (reads === null) return { url: null, isToBeSetUp: false };
  return openGateway(options, { ...publishing, ...reads, epoch });
}

/** Opens the connections for answering requests; the projector reports its progress to them. */
function openReads({ databaseUrl, lifecycle, logger, openSocket, pools }: PartOptions): Reading {
  const reads = openEventReads(databaseUrl, subsystemLogger(logger, "gateway"), openSocket);
  lifecycle.onClose("pages' connections", reads.close);
  pools.set("lookups", reads.prepared.inUse);
  pools.set("pages", () => useOfPgPool(reads.pool));
  pools.set("searches", () => useOfPgPool(reads.longPool));
  return { reads, waits: createPositionWaits(reads.prepared) };
}

export function openProjector(options: PartOptions, waits: PositionWaits | undefined): void {
  const { databaseUrl, lifecycle, onFatal, openSocket, log, registry, pools } = options;
  const measure = createBatchMetrics(registry);
  const holder = newHolder();
  const applicationName = `projector ${holder}`;
  const pool = createPgPool(databaseUrl, { applicationName, openSocket });
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
