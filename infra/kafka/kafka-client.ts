import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  type ISocketFactory,
  type ITopicMetadata,
  type Kafka,
  type KafkaConfig,
  logLevel,
} from "kafkajs";
import type { Logger } from "#infra/logging/logger.ts";

const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 10_000;

export type ClientOptions = Pick<KafkaConfig, "sasl" | "ssl"> & {
  /** Addresses of the cluster, each `host:port`. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Pick<Logger, "debug">;
};

/** Options of every client that this service opens. */
export function clientConfig({
  brokers,
  logger,
  clientId,
  ...security
}: ClientOptions): KafkaConfig {
  return {
    ...security,
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
 * @returns the topic's partitions
 * @throws KafkaJSError when the cluster cannot be reached or forbids it
 */
export async function ensureTopic(
  kafka: Kafka,
  topic: string,
): Promise<ITopicMetadata["partitions"]> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const topics = await admin.listTopics();
    if (!topics.includes(topic)) await admin.createTopics({ topics: [{ topic }] });
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
    return metadata.topics[0]?.partitions ?? [];
  } finally {
    await admin.disconnect();
  }
}

/** The protocol's number of topics among resources (KafkaJS's constant cannot be imported by name). */
const TOPIC_RESOURCE = 2;

/** The largest batch that a topic takes, compressed, in bytes; null when it may not be asked. */
export async function topicLimit(kafka: Kafka, topic: string): Promise<number | null> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: ["max.message.bytes"] }],
    });
    return Number(resources[0]?.configEntries[0]?.configValue) || null;
  } catch {
    return null;
  } finally {
    await admin.disconnect();
  }
}

/** Creates the client's sockets and watches them. */
export function trackSockets() {
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
