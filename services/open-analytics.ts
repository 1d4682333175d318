import { kafkaAccess } from "./kafka-access.ts";
import { openPart } from "./open-part.ts";
import type { FeedState, PartOptions } from "./service-options.ts";

/**
 * Starts the analytics feed, if this process publishes and Kafka is configured.
 * @throws StartError when the file of certificates cannot be read
 */
export async function openAnalytics(options: PartOptions): Promise<FeedState> {
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
