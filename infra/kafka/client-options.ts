import { type KafkaConfig, logLevel } from "kafkajs";
import type { Logger } from "#infra/logging/logger.ts";

export const CONNECT_TIMEOUT_MS = 5_000;
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
