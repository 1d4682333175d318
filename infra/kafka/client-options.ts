import { type KafkaConfig, logLevel } from "kafkajs";
import type { Logger } from "#infra/logging/logger.ts";

export const CONNECT_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 10_000;

/** How this service uses the client, whatever it does with it. */
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
    // Each try takes the next broker of the list.
    retry: { retries: brokers.length, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    // Whatever counts is thrown too, and logged where it is waited out.
    logCreator:
      () =>
      ({ namespace, log }) =>
        logger.debug({ namespace, kafka: log.message }, "kafka client"),
  };
}
