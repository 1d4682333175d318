/**
 * Opens what the roles of a process share, then each configured role with what it needs, the
 * gateway last. The lifecycle closes everything in reverse order.
 */

import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Registry } from "prom-client";
import type { DatabasePool } from "slonik";
import { operations } from "#contracts/http/table/operations.ts";
import type { ColumnsLimits } from "#contracts/query/packed-columns.ts";
import { createAddressGuard } from "#infra/agency/http/address-guard.ts";
import { createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import { createWebhook } from "#infra/brokers/webhook.ts";
import type { Config } from "#infra/config/config.ts";
import type { OperatedEventLog } from "#infra/log/event-log.ts";
import { openKnownLog } from "#infra/log/open-log.ts";
import { createOpenIdProvider, isUnavailable, NO_PROVIDER } from "#infra/openid.ts";
import { type OpenSocket, watchDatabase } from "#infra/postgres/connection.ts";
import { createPresence, newHolder } from "#infra/postgres/coordination.ts";
import { untilReached } from "#infra/postgres/failures.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import {
  createDatabase,
  createPgPool,
  createPreparedStatements,
  type PoolUse,
  useOfDatabase,
  useOfPgPool,
} from "#infra/postgres/pool.ts";
import { ENDS_WITH_CLIENT } from "#infra/postgres/statements.ts";
import type { Lifecycle } from "#infra/process/lifecycle.ts";
import { type Logger, subsystemLogger } from "#infra/process/logger.ts";
import { createBatchMetrics, createMetricsRegistry } from "#infra/process/metrics.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import {
  createPositionWaits,
  isVisible,
  type PositionWaits,
} from "#projections/engine/progress.ts";
import { type EventReads, openEventReads } from "#projections/read/walk.ts";
import { hasAdministrator } from "./accounts/registration.ts";
import { type BuiltConsole, buildConsole } from "./console/build/build-console.ts";
import type { PressureLimits } from "./gateway/connections.ts";
import { API_VERSION } from "./gateway/headers.ts";
import { type GatewayDeps, startGateway } from "./gateway/start.ts";
import { createAgencies, createAgencyCircuits, createAgencyGates } from "./imports/agencies.ts";
import { startAlerts } from "./notifier/alerts.ts";
import { createLogSource, type NoticeSource, startNotifier } from "./notifier/start-notifier.ts";
import { openAccountContext } from "./open-accounts.ts";
import { startProjector } from "./projector/start-projector.ts";
import type { KafkaAccess } from "./publisher/analytics.ts";
import { serveMetrics, serviceMetrics } from "./service-metrics.ts";
import { StartError } from "./start-error.ts";
import { EXPORT_CONNECTIONS } from "./turns.ts";
import { createVersionHistories } from "./versions/history.ts";

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
  const { kafka: servers, publicBaseUrl, roles } = options.config;
  if (servers === null || !roles.has("publisher")) return () => null;
  const kafka = await kafkaAccess(servers);
  const part = await openPart(options, "analytics", 2);
  // The client is loaded only when Kafka is configured: it is 5 MiB.
  const { startAnalytics } = await import("./publisher/analytics.ts");
  const publisher = startAnalytics({ ...part, kafka, publicBaseUrl });
  options.lifecycle.onClose("analytics", publisher.close, { atOnce: true });
  return publisher.state;
}

/** Starts the stream of changes, if this process publishes and NATS is configured. */
async function openChanges(options: PartOptions): Promise<FeedState> {
  const { natsUrl, natsReplicas, publicBaseUrl, roles } = options.config;
  if (natsUrl === null || !roles.has("publisher")) return () => null;
  const part = await openPart(options, "changes", 2);
  // The client is loaded only when NATS is configured: it is 5 MiB.
  const { startChanges } = await import("./publisher/broker.ts");
  const publisher = startChanges({ ...part, natsUrl, natsReplicas, publicBaseUrl });
  options.lifecycle.onClose("changes", publisher.close, { atOnce: true });
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
  const { natsUrl, natsReplicas } = options.config;
  if (natsUrl === null) return null;
  // The clients of brokers are loaded only when one is configured: each is 5 MiB.
  const { startPublisher } = await import("./publisher/broker.ts");
  const part = await openPart(options, "publisher", MAX_CONNECTIONS);
  const publisher = startPublisher({ ...part, natsUrl, natsReplicas, ackWaitMs: ACK_WAIT_MS });
  options.lifecycle.onClose("publisher", publisher.close, { atOnce: true });
  return publisher;
}

async function openNotifier(options: PartOptions) {
  const { natsUrl, emailWebhook, publicBaseUrl } = options.config;
  const part = await openPart(options, "notifier", MAX_CONNECTIONS);
  const { logger } = part;
  const source = natsUrl === null ? createLogSource(part) : await openBrokerSource(natsUrl, logger);
  const webhook = emailWebhook && createWebhook({ ...emailWebhook, timeoutMs: WEBHOOK_TIMEOUT_MS });
  if (emailWebhook?.secrets.length === 0) {
    logger.warn(
      "EMAIL_WEBHOOK_SECRET is not set: the receiver at EMAIL_WEBHOOK_URL cannot tell our notifications from forged ones",
    );
  }
  const now = (): Date => new Date();
  const notifier = startNotifier({ ...part, source, webhook, publicBaseUrl, now });
  options.lifecycle.onClose("notifier", notifier.close, { atOnce: true });
  const ofAlerts = await openPart(options, "alerts", MAX_CONNECTIONS);
  const guard = createAddressGuard(options.config.alertAddresses);
  const alerts = startAlerts({ ...ofAlerts, webhook, publicBaseUrl, guard, now });
  options.lifecycle.onClose("alerts", alerts.close, { atOnce: true });
  return notifier;
}

async function openBrokerSource(natsUrl: string, logger: Logger): Promise<NoticeSource> {
  const { createBrokerSource } = await import("./notifier/broker-source.ts");
  return createBrokerSource({ natsUrl, logger });
}

/** What one part takes of the process, with separate connections and a logger. */
async function openPart(
  { databaseUrl, openSocket, lifecycle, logger: root, log, onFatal }: PartOptions,
  part: string,
  maxConnections: number,
) {
  const logger = subsystemLogger(root, part);
  const connections = { applicationName: part, maxConnections, log: logger, openSocket };
  const patience = { log: logger, signal: lifecycle.signal };
  const pool = await untilReached(() => createDatabase(databaseUrl, connections), patience);
  lifecycle.onClose(`${part}'s connections`, () => pool.end());
  return { databaseUrl, openSocket, log, pool, logger, onFatal };
}

export type ServiceOptions = {
  /** For a gateway, with the secret of sessions. */
  readonly config: Config;
  readonly databaseUrl: string;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Of a link by which the service is set up while it has no administrator; absent for no link. */
  readonly setupCode?: string;
  /** Lines of the log lost since the start, for the metrics. */
  readonly droppedLogLines?: () => number;
  /** Called when a part cannot continue, for example a projector at an unknown event. */
  readonly onFatal: (error: unknown) => void;
  /** Checks every answer against its schema; for tests: that costs more than the query behind a page. */
  readonly checkAnswers?: boolean;
  /** Of answers by column; `COLUMNS_LIMITS` by default. */
  readonly columnsLimits?: ColumnsLimits;
  /** Limits beyond which requests are shed; measured ones by default. */
  readonly pressure?: PressureLimits;
};

/** What the parts of a process share. */
type PartOptions = ServiceOptions & {
  readonly openSocket: OpenSocket;
  readonly log: OperatedEventLog;
  readonly registry: Registry;
  /** For the metrics: the use of connections, by pool. */
  readonly pools: Map<string, () => PoolUse>;
};

/** State of this process's publisher of a feed; null when another process publishes. */
type FeedState = () => string | null;

type Reading = { readonly reads: EventReads; readonly waits: PositionWaits };

type Publishing = Pick<GatewayDeps, "deliveryStates" | "feedStates" | "epoch">;

export type OpenedGateway = {
  readonly url: string;
  /** Whether somebody has to make an administrator, by the link for setting up. */
  readonly isToBeSetUp: boolean;
};

/** Opens what only a gateway needs, and starts it. */
async function openGateway(
  options: PartOptions,
  { reads, waits, ...publishing }: Publishing & Reading,
): Promise<OpenedGateway> {
  const { config, databaseUrl, lifecycle, openSocket, log, registry, pools } = options;
  const { jwtSecret } = config;
  if (jwtSecret === null) throw new Error("a gateway needs the secret of sessions");
  const logger = subsystemLogger(options.logger, "gateway");
  const isTest = options.checkAnswers === true;
  const building = openConsole({
    isDevelopment: config.hasStyleguide,
    mustSucceed: isTest,
    logger,
  });
  const { pool, exportPool, retryPool, presence } = await openConnections(options, logger);
  const { provider, circuit } = openProvider(options);
  const { agencies, gates, circuits: agencyCircuits } = openAgencies(options, pool);
  const circuits = async () => ({ ...(await agencyCircuits.byName()), ...circuit() });
  const collectors = [...serviceMetrics({ pool, log, circuits, pools })];
  for (const collect of collectors) collect(registry);
  const vault = createPreparedStatements(databaseUrl, {
    log: logger,
    openSocket,
    applicationName: "vault",
  });
  lifecycle.onClose("vault's connections", vault.close);
  pools.set("vault", vault.inUse);
  const lookups = reads.prepared;
  const accounts = { config, log, pool, lookups, vault, waits, presence, logger };
  const patience = { log: logger, signal: lifecycle.signal };
  const { context, administratorAt } = await untilReached(
    () => openAccountContext(accounts),
    patience,
  );
  // The first administrator must be able to sign in once the gateway listens; whether there is one
  // decides on the link for setting up.
  if ((config.admin ?? options.setupCode) && config.roles.has("projector")) {
    // The log's head may still precede an account created just now (infra/decisions/0001).
    // A read model being built from the start of the log takes longer; readiness shows its lag.
    await isVisible(context.untilVisible("users", administratorAt ?? (await log.head())));
  }
  const gateway = await startGateway({
    ...options,
    ...publishing,
    setupCode: options.setupCode ?? null,
    checkAnswers: options.checkAnswers ?? false,
    console: {
      built: await building,
      pictureOrigins: config.mapTiles ? [new URL(config.mapTiles.url).origin] : [],
    },
    config: { ...config, jwtSecret },
    context,
    reads,
    versionHistories: createVersionHistories(log),
    exportPool,
    retryPool,
    presence,
    agencies,
    gates,
    circuits: agencyCircuits,
    provider,
    eventLog: log,
    logger,
  });
  lifecycle.onClose("gateway", gateway.close);
  const isToBeSetUp = options.setupCode !== undefined && !(await hasAdministrator(context));
  return { url: gateway.url, isToBeSetUp };
}

/** The connections of a gateway; each is closed in its turn. */
async function openConnections(options: PartOptions, logger: Logger) {
  const { databaseUrl, lifecycle, openSocket, pools } = options;
  const connections = { log: logger, openSocket };
  const patience = { log: logger, signal: lifecycle.signal };
  const ofGateway = { ...connections, applicationName: "gateway" };
  const pool = await untilReached(() => createDatabase(databaseUrl, ofGateway), patience);
  lifecycle.onClose("gateway's connections", () => pool.end());
  const exportPool = createPgPool(databaseUrl, {
    ...connections,
    applicationName: "export",
    maxConnections: EXPORT_CONNECTIONS,
    // No limit: a large export to a slow client takes long; when its client disconnects it is ended,
    // even while sorting.
    statementTimeoutMs: 0,
    settings: ENDS_WITH_CLIENT,
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
  const present = { ...connections, applicationName: "gateway presence" };
  const presence = await untilReached(() => createPresence(databaseUrl, present), patience);
  lifecycle.onClose("presence", presence.close);
  pools.set("gateway", () => useOfDatabase(pool));
  return { pool, exportPool, retryPool, presence };
}

/** The agencies that imports ask, and what their circuits do. */
function openAgencies({ config, lifecycle }: PartOptions, pool: DatabasePool) {
  const userAgent = `earthquake-catalogue-service/${API_VERSION} (+${config.publicBaseUrl})`;
  const agencies = createAgencies({ pool, config, userAgent });
  const gates = createAgencyGates();
  lifecycle.onClose("agencies' circuit breakers", gates.close);
  return { agencies, gates, circuits: createAgencyCircuits(agencies, gates) };
}

/** How long the institute may take for each answer. */
const PROVIDER_TIMEOUT_SECONDS = 5;

/** The institute's sign-in, if there is one, with its circuit breaker for the metrics. */
function openProvider({ config, lifecycle }: PartOptions) {
  const { openId, publicBaseUrl } = config;
  if (openId === null) return { provider: NO_PROVIDER, circuit: () => ({}) };
  const name = new URL(openId.issuer).host;
  const breaker = createCircuitBreaker({ name, isFailure: isUnavailable });
  lifecycle.onClose("institute's circuit breaker", breaker.close);
  const provider = createOpenIdProvider({
    ...openId,
    callbackUrl: `${publicBaseUrl}${operations.finishOpenId.path}`,
    timeoutSeconds: PROVIDER_TIMEOUT_SECONDS,
    breaker,
  });
  return { provider, circuit: () => ({ [name]: breaker.state() }) };
}

type ConsoleChoices = {
  readonly isDevelopment: boolean;
  readonly mustSucceed: boolean;
  readonly logger: Logger;
};

/** Builds the console beside the opening of everything else; the API is served without it too. */
async function openConsole(choices: ConsoleChoices): Promise<BuiltConsole | null> {
  const { isDevelopment, mustSucceed, logger } = choices;
  try {
    return await buildConsole(isDevelopment);
  } catch (error) {
    if (mustSucceed) throw error;
    logger.warn({ err: error }, "the console could not be built; its pages say so");
    return null;
  }
}

/**
 * What the client needs to reach the cluster and to sign in.
 * @throws StartError when the file of certificates cannot be read
 */
export async function kafkaAccess({
  brokers,
  ssl,
  sasl,
}: NonNullable<Config["kafka"]>): Promise<KafkaAccess> {
  return {
    brokers,
    ...(ssl && { ssl: ssl.caFile === null ? true : { ca: await certificates(ssl.caFile) } }),
    // The client's type ties each mechanism to its own shape; theirs is the same.
    ...(sasl && { sasl: sasl as NonNullable<KafkaAccess["sasl"]> }),
  };
}

async function certificates(file: string): Promise<string> {
  try {
    const text = await readFile(file, "utf8");
    // TLS itself would pass over what is no certificate, and trust nobody.
    new X509Certificate(text);
    return text;
  } catch (cause) {
    throw new StartError("KAFKA_CA_FILE", cause);
  }
}
