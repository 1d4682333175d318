import { connect, type Socket } from "node:net";
import { type ISocketFactory, type Kafka, type KafkaConfig, logLevel } from "kafkajs";
import type { Logger } from "#infra/logging/logger.ts";

const KEEP_ALIVE_MS = 60_000;
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
    factory: (({ host, port, onConnect }) => {
      if (destroyed) throw new Error("the session has ended");
      const socket = connect({ host, port }, () => {
        connected += 1;
        socket.once("close", disconnected);
        onConnect();
      });
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
