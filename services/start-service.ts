import type { DatabasePool } from "slonik";
import { createWebhook } from "#infra/brokers/webhook.ts";
import { openKnownLog } from "#infra/log/open-log.ts";
import { watchDatabase } from "#infra/postgres/connection.ts";
import { newHolder } from "#infra/postgres/coordination.ts";
import { untilReached } from "#infra/postgres/failures.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase, createPgPool, useOfPgPool } from "#infra/postgres/pool.ts";
import { type Logger, subsystemLogger } from "#infra/process/logger.ts";
import { createBatchMetrics, createMetricsRegistry } from "#infra/process/metrics.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { createPositionWaits, type PositionWaits } from "#projections/engine/progress.ts";
import { openEventReads } from "#projections/read/walk.ts";
import { kafkaAccess } from "./kafka-access.ts";
import { createLogSource, type NoticeSource } from "./notifier/notice-source.ts";
import { startNotifier } from "./notifier/start-notifier.ts";
import { openGateway, type Reading } from "./open-gateway.ts";
import { startProjector } from "./projector/start-projector.ts";
import { serveMetrics } from "./serve-metrics.ts";
import type { FeedState, PartOptions, ServiceOptions } from "./service-options.ts";

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

/**
 * Starts the analytics feed, if this process publishes and Kafka is configured.
 * @throws StartError when the file of certificates cannot be read
 */
async function openAnalytics(options: PartOptions): Promise<FeedState> {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { publicBaseUrl, roles } = config;
  if (config.kafka === null || !roles.has("publisher")) return () => null;
  const kafka = await kafkaAccess(config.kafka);
  const { pool, logger } = await openPart(options, "analytics", 2);
  // The client is loaded only when Kafka is configured: it is 5 MiB.
  const { startAnalytics } = await import("./publisher/start-analytics.ts");
  const deps = { databaseUrl, openSocket, log, pool, kafka, publicBaseUrl, logger, onFatal };
  const publisher = startAnalytics(deps);
  lifecycle.onClose("analytics", publisher.close, { atOnce: true });
  return publisher.state;
}

/** Starts the stream of changes, if this process publishes and NATS is configured. */
async function openChanges(options: PartOptions): Promise<FeedState> {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, natsReplicas, publicBaseUrl, roles } = config;
  if (natsUrl === null || !roles.has("publisher")) return () => null;
  const { pool, logger } = await openPart(options, "changes", 2);
  // The client is loaded only when NATS is configured: it is 5 MiB.
  const { startChanges } = await import("./publisher/start-changes.ts");
  const publisher = startChanges({
    databaseUrl,
    openSocket,
    log,
    pool,
    natsUrl,
    natsReplicas,
    publicBaseUrl,
    logger,
    onFatal,
  });
  lifecycle.onClose("changes", publisher.close, { atOnce: true });
  return publisher.state;
}

const SECOND = 1_000;
const WEBHOOK_TIMEOUT_MS = 10 * SECOND;
/** Generous, since storing a notice takes one statement. */
const ACK_WAIT_MS = 30 * SECOND;
const MAX_CONNECTIONS = 4;

/** States of the parts of delivery that run in this process, by part. */
type DeliveryStates = () => Readonly<Record<string, string>>;

async function openDelivery(options: PartOptions): Promise<DeliveryStates> {
  const { roles } = options.config;
  const publisher = roles.has("publisher") ? await openPublisher(options) : null;
  const notifier = roles.has("notifier") ? await openNotifier(options) : null;
  return () => ({
    ...(publisher && { publisher: publisher.state() }),
    ...(notifier && { notifier: notifier.state() }),
  });
}

/** Does nothing without a broker: notifiers then read the log themselves. */
async function openPublisher(options: PartOptions) {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, natsReplicas } = config;
  if (natsUrl === null) return null;
  // The clients of brokers are loaded only when one is configured: each is 5 MiB.
  const { startPublisher } = await import("./publisher/start-publisher.ts");
  const { pool, logger } = await openPart(options, "publisher", MAX_CONNECTIONS);
  const publisher = startPublisher({
    databaseUrl,
    openSocket,
    log,
    pool,
    natsUrl,
    natsReplicas,
    ackWaitMs: ACK_WAIT_MS,
    logger,
    onFatal,
  });
  lifecycle.onClose("publisher", publisher.close, { atOnce: true });
  return publisher;
}

async function openNotifier(options: PartOptions) {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, emailWebhook, publicBaseUrl } = config;
  const { pool, logger } = await openPart(options, "notifier", MAX_CONNECTIONS);
  const source =
    natsUrl === null
      ? createLogSource({ databaseUrl, openSocket, log, pool, logger })
      : await openBrokerSource(natsUrl, logger);
  const webhook = emailWebhook && createWebhook({ ...emailWebhook, timeoutMs: WEBHOOK_TIMEOUT_MS });
  if (emailWebhook?.secrets.length === 0) {
    logger.warn(
      "EMAIL_WEBHOOK_SECRET is not set: the receiver at EMAIL_WEBHOOK_URL cannot tell our notifications from forged ones",
    );
  }
  const now = (): Date => new Date();
  const deps = { source, pool, log, webhook, publicBaseUrl, logger, now, onFatal };
  const notifier = startNotifier(deps);
  lifecycle.onClose("notifier", notifier.close, { atOnce: true });
  return notifier;
}

async function openBrokerSource(natsUrl: string, logger: Logger): Promise<NoticeSource> {
  const { createBrokerSource } = await import("./notifier/broker-source.ts");
  return createBrokerSource({ natsUrl, logger });
}

/** Separate connections and a logger for one part. */
async function openPart(
  { databaseUrl, openSocket, lifecycle, logger: root }: PartOptions,
  part: string,
  maxConnections: number,
): Promise<{ readonly pool: DatabasePool; readonly logger: Logger }> {
  const logger = subsystemLogger(root, part);
  const connections = { applicationName: part, maxConnections, log: logger, openSocket };
  const patience = { log: logger, signal: lifecycle.signal };
  const pool = await untilReached(() => createDatabase(databaseUrl, connections), patience);
  lifecycle.onClose(`${part}'s connections`, () => pool.end());
  return { pool, logger };
}
