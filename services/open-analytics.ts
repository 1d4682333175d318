import type { Config } from "#infra/config/config.ts";
import type { EventLog } from "#infra/event-log/event-log.ts";
import type { Lifecycle } from "#infra/lifecycle/lifecycle.ts";
import { type Logger, subsystemLogger } from "#infra/logging/logger.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { createDatabase } from "#infra/postgres/pool.ts";

export type AnalyticsOptions = {
  readonly config: Pick<Config, "kafkaBrokers" | "publicBaseUrl" | "roles">;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly log: EventLog;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly onFatal: (error: unknown) => void;
};

/** State of this process's publisher for Kafka; null when another process publishes. */
export type AnalyticsState = () => string | null;

/** Starts the analytics feed, if this process publishes and Kafka is configured. */
export async function openAnalytics(options: AnalyticsOptions): Promise<AnalyticsState> {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { kafkaBrokers: brokers, publicBaseUrl, roles } = config;
  if (brokers === null || !roles.has("publisher")) return () => null;
  const logger = subsystemLogger(options.logger, "analytics");
  const pool = await createDatabase(databaseUrl, {
    applicationName: "analytics",
    maxConnections: 2,
    log: logger,
    openSocket,
  });
  lifecycle.onClose("analytics' connections", () => pool.end());
  // The client is loaded only when Kafka is configured: it is 5 MiB.
  const { startAnalytics } = await import("./publisher/start-analytics.ts");
  const deps = { databaseUrl, openSocket, log, pool, brokers, publicBaseUrl, logger, onFatal };
  const publisher = startAnalytics(deps);
  lifecycle.onClose("analytics", publisher.close, { atOnce: true });
  return publisher.state;
}
