import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  type Admin,
  CompressionTypes,
  type ISocketFactory,
  type ITopicMetadata,
  Kafka,
  type KafkaConfig,
  logLevel,
  type Message,
  Partitioners,
} from "kafkajs";
import { ANALYTICS } from "#contracts/events/log.ts";
import { createBackoff, sleep } from "#infra/kernel/waiting.ts";
import type { Logger } from "#infra/process/logger.ts";

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

export type KafkaSessionOptions = Pick<KafkaConfig, "sasl" | "ssl"> & {
  /** Addresses of the cluster, each `host:port`. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Pick<Logger, "debug">;
  /** Ends everything that waits for the cluster, after a short grace. */
  readonly signal: AbortSignal;
};

/** Longer than the client's own timers for a reconnection and one request together. */
const SEND_TIMEOUT_MS = 25_000;
const ALL_IN_SYNC = -1;
/** Grace for requests about to be answered, so that the next publisher need not repeat them. */
const GRACE_MS = 2_000;

export type KafkaSession = Awaited<ReturnType<typeof openKafkaSession>>;

/**
 * Opens one connection to a cluster, and creates the topic when it is missing. A lost session does
 * not reconnect; its user opens another.
 *
 * The producer is not idempotent and has one request in flight: with more, a retry could swap two
 * batches. The client does not retry requests either; a new session continues from the checkpoint.
 * @throws KafkaJSError when the cluster cannot be reached
 */
export async function openKafkaSession({ signal, ...client }: KafkaSessionOptions) {
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
    /** Aborts when the last connection to the cluster is lost. */
    lost: sockets.lost,
    /** The partition of a message, as the topic was when the session was opened. */
    partitionOf: (message: Message): number =>
      partitioner({ topic: ANALYTICS.topic, partitionMetadata, message }),
    /** The largest batch that the topic takes, compressed, in bytes; null when it may not be asked. */
    limit: () => topicLimit(asking, ANALYTICS.topic),
    /**
     * Publishes messages of one partition of the analytics topic; resolves when all in-sync replicas
     * have them. Messages with the same key stay in order.
     * @throws KafkaJSError, NoAnswer: some, none or all of them may have arrived
     */
    async send(messages: readonly Message[]): Promise<void> {
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

const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Options of every client that this service opens. */
function clientConfig({
  brokers,
  logger,
  ...client
}: Omit<KafkaSessionOptions, "signal">): KafkaConfig {
  return {
    ...client,
    brokers: [...brokers],
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
 * @returns the topic's partitions
 * @throws KafkaJSError when the cluster cannot be reached or forbids it
 */
function ensureTopic(kafka: Kafka, topic: string): Promise<ITopicMetadata["partitions"]> {
  return administering(kafka, async (admin) => {
    const topics = await admin.listTopics();
    if (!topics.includes(topic)) await admin.createTopics({ topics: [{ topic }] });
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
    return metadata.topics[0]?.partitions ?? [];
  });
}

async function administering<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** The protocol's number of topics among resources (KafkaJS's constant cannot be imported by name). */
const TOPIC_RESOURCE = 2;

/** The largest batch that a topic takes, compressed, in bytes; null when it may not be asked. */
function topicLimit(kafka: Kafka, topic: string): Promise<number | null> {
  return administering(kafka, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: ["max.message.bytes"] }],
    });
    return Number(resources[0]?.configEntries[0]?.configValue) || null;
  }).catch(() => null);
}

/** Creates the client's sockets and watches them. */
function trackSockets() {
  const sockets = new Set<Socket>();
  const lost = new AbortController();
  let destroyed = false;
  let connected = 0;

  function disconnected(): void {
    connected -= 1;
    if (connected === 0) lost.abort(new Error("the connection to the broker ended"));
  }

  return {
    /** Aborts when the last open connection has ended, which the client itself does not report. */
    lost: lost.signal,
    factory: (({ host, port, ssl, onConnect }) => {
      if (destroyed) throw new Error("the session has ended");
      const ready = (): void => {
        connected += 1;
        socket.once("close", disconnected);
        onConnect();
      };
      const name = isIP(host) ? {} : { servername: host };
      const socket: Socket = ssl
        ? connectTls({ host, port, ...name, ...ssl }, ready)
        : connect({ host, port }, ready);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    }) satisfies ISocketFactory,
    /** Closes all connections and prevents new ones; pending requests fail. */
    destroy: (): void => {
      destroyed = true;
      // The client reacts to errors, but not to sockets that are closed on this side.
      for (const socket of sockets) socket.destroy(new Error("the session has ended"));
    },
  };
}

/** A message; `bytes` is its approximate uncompressed size in the topic. */
export type SizedMessage = Message & { readonly bytes: number };

type SizedSendsOptions = {
  /** Sends messages of one partition: all of them arrive, or a refusal is thrown and none does. */
  readonly send: (messages: readonly SizedMessage[]) => Promise<void>;
  readonly partitionOf: (message: Message) => number;
  /** Called when a message alone is refused for its size, before each wait. */
  readonly onRefused: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly wait?: typeof sleep;
};

/** An operator has to raise the topic's limit: there is no hurry. */
const WAITS = { baseMs: 1_000, capMs: 60_000 };

/**
 * Sends messages to a topic whose limit is not known: what is refused for its size is sent in
 * smaller batches, and a message that is refused alone is tried again after ever longer waits. What
 * has arrived is not sent again.
 * @returns sends messages; those of one partition stay in order
 */
export function createSizedSends(options: SizedSendsOptions) {
  const { send, partitionOf, onRefused, signal, wait = sleep } = options;
  let limit = Number.POSITIVE_INFINITY;

  /** Sends a partition's messages, and removes what has arrived. @returns bytes that were refused */
  async function sendAll(waiting: SizedMessage[]): Promise<number> {
    while (waiting.length > 0) {
      const batch = batchOf(waiting, limit);
      const bytes = batch.reduce((sum, message) => sum + message.bytes, 0);
      try {
        await send(batch);
        waiting.splice(0, batch.length);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        if (batch.length === 1) return bytes;
        limit = bytes / 2;
      }
    }
    return 0;
  }

  return async (messages: readonly SizedMessage[]): Promise<void> => {
    const backoff = createBackoff(WAITS);
    let partitions = [...Map.groupBy(messages, partitionOf).values()];
    while (partitions.length > 0) {
      let refused = 0;
      for (const waiting of partitions) refused = (await sendAll(waiting)) || refused;
      partitions = partitions.filter((waiting) => waiting.length > 0);
      if (partitions.length === 0) return;
      await onRefused(refused);
      await wait(backoff.next(), signal);
      signal.throwIfAborted();
    }
  };
}

/** The first messages of at most `limit` bytes, at least one. */
function batchOf(messages: readonly SizedMessage[], limit: number): SizedMessage[] {
  let bytes = 0;
  const end = messages.findIndex((message) => {
    bytes += message.bytes;
    return bytes > limit;
  });
  return messages.slice(0, end < 0 ? messages.length : Math.max(1, end));
}

const TOO_LARGE = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"]);

/** Whether a broker has refused messages for their size; the client wraps its answer. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("type" in error && TOO_LARGE.has(String(error.type))) || isTooLarge(error.cause);
}
