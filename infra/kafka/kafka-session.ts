import { CompressionTypes, Kafka, type Message, Partitioners } from "kafkajs";
import { ANALYTICS } from "#contracts/names.ts";
import type { Logger } from "#infra/logging/logger.ts";
import { answered } from "./answered.ts";
import { clientOptions, REQUEST_TIMEOUT_MS } from "./client-options.ts";
import { ensureTopic } from "./ensure-topic.ts";
import { trackSockets } from "./track-sockets.ts";

export type KafkaSession = {
  /** Aborts when no connection to the cluster is left. */
  readonly lost: AbortSignal;
  /**
   * Publishes messages to the analytics topic; resolves when all replicas in sync have them. Those
   * of one key stay in order.
   * @throws KafkaJSError, NoAnswer: some, none or all of them may have arrived
   */
  send(messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
};

export type KafkaSessionOptions = {
  /** Where the cluster is looked for, each `host:port`. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Logger;
  /** Cuts off whatever waits for the cluster, a moment after it aborts. */
  readonly signal: AbortSignal;
};

/** Beyond what the client's own timers allow for connecting anew and one request. */
const SEND_TIMEOUT_MS = 25_000;
const ALL_IN_SYNC = -1;
/** A request that the cluster is about to answer need not be repeated by the next publisher. */
const GRACE_MS = 2_000;

/**
 * One connection to a cluster and the topic, made where it is not there. It does not come back by
 * itself: whoever uses it begins anew.
 *
 * The producer is not idempotent, and has one request in flight: with more, two batches could change
 * places in a retry. The client itself retries no request: who begins anew does, from the checkpoint.
 * @throws KafkaJSError when the cluster cannot be reached
 */
export async function openKafkaSession(options: KafkaSessionOptions): Promise<KafkaSession> {
  const { brokers, clientId, logger, signal } = options;
  const sockets = trackSockets();
  const preparing = trackSockets();
  const cut = (): void => {
    preparing.destroy();
    sockets.destroy();
  };
  const cutLater = (): void => void setTimeout(cut, GRACE_MS).unref();
  signal.addEventListener("abort", cutLater, { once: true });

  const common = clientOptions(brokers, clientId, logger);
  const producer = new Kafka({ ...common, socketFactory: sockets.factory }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
    retry: { retries: 0 },
  });
  async function close(): Promise<void> {
    signal.removeEventListener("abort", cutLater);
    cut();
    await producer.disconnect();
  }
  try {
    await ensureTopic(new Kafka({ ...common, socketFactory: preparing.factory }), ANALYTICS.topic);
    await producer.connect();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    lost: sockets.lost,
    async send(messages) {
      const request = producer.send({
        topic: ANALYTICS.topic,
        messages: [...messages],
        acks: ALL_IN_SYNC,
        timeout: REQUEST_TIMEOUT_MS,
        compression: CompressionTypes.GZIP,
      });
      await answered(request, SEND_TIMEOUT_MS);
    },
    close,
  };
}
