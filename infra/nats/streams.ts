import {
  headers,
  type JetStreamClient,
  type JetStreamManager,
  NatsError,
  nanos,
  type PubAck,
  StorageType,
  type StreamConfig,
} from "nats";

const MINUTE_MS = 60_000;
const ACK_TIMEOUT_MS = 5_000;

/** JetStream's error code for a missing stream. */
const STREAM_NOT_FOUND = 10_059;

/**
 * Creates a missing stream, stored in files; an existing one stays as its operator configured it
 * (replicas, limits). Only a publisher creates streams and consumers, and one publisher of a stream
 * works at a time: concurrent requests can leave a broker with a consumer that delivers no messages
 * (seen with 2.9.10).
 * @returns the sequence of the stream's last message, 0 for a new stream
 */
export async function ensureStream(
  manager: JetStreamManager,
  config: Pick<StreamConfig, "name" | "subjects" | "retention"> & Partial<StreamConfig>,
): Promise<number> {
  try {
    const { state } = await manager.streams.info(config.name);
    return state.last_seq;
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
  }
  const { state } = await manager.streams.add({
    storage: StorageType.File,
    // Within this time the broker drops repeated messages; receivers always have to.
    duplicate_window: nanos(10 * MINUTE_MS),
    ...config,
  });
  return state.last_seq;
}

function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === STREAM_NOT_FOUND;
}

export type StreamMessage = {
  readonly stream: string;
  readonly subject: string;
  /** The message id, by which the broker drops repetitions. */
  readonly id: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Publishes one message; resolves when the stream has stored it.
 * @throws NatsError when the broker does not confirm in time; the message may be stored all the same
 */
export function publishToStream(
  client: JetStreamClient,
  { stream, subject, id, body, headers: pairs = {} }: StreamMessage,
): Promise<PubAck> {
  const sent = headers();
  for (const [name, value] of Object.entries(pairs)) sent.set(name, value);
  return client.publish(subject, JSON.stringify(body), {
    msgID: id,
    headers: sent,
    timeout: ACK_TIMEOUT_MS,
    expect: { streamName: stream },
  });
}
