import { subsystemLogger } from "#infra/logging/logger.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import type { PartOptions } from "./service-options.ts";

/** State of this process's publisher for Kafka; null when another process publishes. */
export type AnalyticsState = () => string | null;

/** Starts the analytics feed, if this process publishes and Kafka is configured. */
export async function openAnalytics(options: PartOptions): Promise<AnalyticsState> {
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
