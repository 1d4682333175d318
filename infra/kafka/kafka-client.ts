import { type Kafka, type KafkaConfig, logLevel } from "kafkajs";
import type { Logger } from "#infra/logging/logger.ts";

const CONNECT_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 10_000;

/** Options of every client that this service opens. */
export function clientOptions(
  brokers: readonly string[],
  clientId: string,
  logger: Pick<Logger, "debug">,
): KafkaConfig {
  return {
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Each try uses the next broker of the list.
    retry: { retries: brokers.length, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    // Errors that matter are thrown too, and logged by the caller that retries.
    logCreator:
      () =>
      ({ namespace, log }) =>
        logger.debug({ namespace, kafka: log.message }, "kafka client"),
  };
}

/**
 * Creates a missing topic with the cluster's default partitions and replicas; an existing one stays
 * as its operator configured it.
 * @throws KafkaJSError when the cluster cannot be reached or forbids it
 */
export async function ensureTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const topics = await admin.listTopics();
    if (!topics.includes(topic)) await admin.createTopics({ topics: [{ topic }] });
  } finally {
    await admin.disconnect();
  }
}
