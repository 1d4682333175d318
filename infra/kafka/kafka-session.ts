import { CompressionTypes, Kafka, type Message, Partitioners, type Producer } from "kafkajs";
import { ANALYTICS } from "#contracts/names.ts";
import {
  type ClientOptions,
  clientConfig,
  ensureTopic,
  REQUEST_TIMEOUT_MS,
  topicLimit,
  trackSockets,
} from "./kafka-client.ts";

/** The client returned neither an answer nor an error: its own timers failed. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** Waits at most `timeoutMs` for a request. @throws NoAnswer */
async function answered(request: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`none in ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
    // The later outcome of an abandoned request is ignored.
    request.catch(() => undefined);
  }
}

export type KafkaSession = {
  /** Aborts when the last connection to the cluster is lost. */
  readonly lost: AbortSignal;
  /**
   * Publishes messages of one partition of the analytics topic; resolves when all in-sync replicas
   * have them. Messages with the same key stay in order.
   * @throws KafkaJSError, NoAnswer: some, none or all of them may have arrived
   */
  send(messages: readonly Message[]): Promise<void>;
  /** The partition of a message, as the topic was when the session was opened. */
  partitionOf(message: Message): number;
  /** The largest batch that the topic takes, compressed, in bytes; null when it may not be asked. */
  limit(): Promise<number | null>;
  close(): Promise<void>;
};

export type KafkaSessionOptions = ClientOptions & {
  /** Ends everything that waits for the cluster, after a short grace. */
  readonly signal: AbortSignal;
};

/** Longer than the client's own timers for a reconnection and one request together. */
const SEND_TIMEOUT_MS = 25_000;
const ALL_IN_SYNC = -1;
/** Grace for requests about to be answered, so that the next publisher need not repeat them. */
const GRACE_MS = 2_000;

/**
 * Opens one connection to a cluster, and creates the topic when it is missing. A lost session does
 * not reconnect; its user opens another.
 *
 * The producer is not idempotent and has one request in flight: with more, a retry could swap two
 * batches. The client does not retry requests either; a new session continues from the checkpoint.
 * @throws KafkaJSError when the cluster cannot be reached
 */
export async function openKafkaSession(options: KafkaSessionOptions): Promise<KafkaSession> {
  const { signal, ...client } = options;
  const sockets = trackSockets();
  const preparing = trackSockets();
  const cut = (): void => {
    preparing.destroy();
    sockets.destroy();
  };
  const cutLater = (): void => void setTimeout(cut, GRACE_MS).unref();
  signal.addEventListener("abort", cutLater, { once: true });

  const common = clientConfig(client);
  const asking = new Kafka({ ...common, socketFactory: preparing.factory });
  const createPartitioner = Partitioners.DefaultPartitioner;
  const producer = new Kafka({ ...common, socketFactory: sockets.factory }).producer({
    createPartitioner,
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
    retry: { retries: 0 },
  });
  async function close(): Promise<void> {
    signal.removeEventListener("abort", cutLater);
    cut();
    await producer.disconnect();
  }
  let partitionMetadata: Awaited<ReturnType<typeof ensureTopic>>;
  try {
    partitionMetadata = await ensureTopic(asking, ANALYTICS.topic);
    await producer.connect();
  } catch (error) {
    await close();
    throw error;
  }
  const partitioner = createPartitioner();
  return {
    lost: sockets.lost,
    partitionOf: (message) => partitioner({ topic: ANALYTICS.topic, partitionMetadata, message }),
    limit: () => topicLimit(asking, ANALYTICS.topic),
    send: (messages) => sendTo(producer, messages),
    close,
  };
}

async function sendTo(producer: Producer, messages: readonly Message[]): Promise<void> {
  const request = producer.send({
    topic: ANALYTICS.topic,
    messages: [...messages],
    acks: ALL_IN_SYNC,
    timeout: REQUEST_TIMEOUT_MS,
    compression: CompressionTypes.GZIP,
  });
  await answered(request, SEND_TIMEOUT_MS);
}
