import {
  ErrorCode,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  NatsError,
  nanos,
  type PeerInfo,
  type PubAck,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "nats";
import { MINUTE_MS } from "#contracts/units.ts";
import { sleep } from "../kernel/backoff.ts";

const ACK_TIMEOUT_MS = 5_000;

/** JetStream's error code for a missing stream. */
const STREAM_NOT_FOUND = 10_059;

export type ClusterOptions = {
  /** Servers that keep each stream. */
  readonly replicas: number;
  /** Ends the wait for them. */
  readonly signal: AbortSignal;
};

/**
 * Creates a missing stream, stored in files, and gives an existing one the replicas that it lacks;
 * everything else stays as its operator configured it (limits, more replicas). Resolves when the
 * replicas are there. Only a publisher creates streams and consumers, and one publisher of a stream
 * works at a time: concurrent requests can leave a broker with a consumer that delivers no messages
 * (seen with 2.9.10).
 * @throws NatsError when the cluster has too few servers; NotReplicated
 */
export async function ensureStream(
  manager: JetStreamManager,
  config: Pick<StreamConfig, "name" | "subjects" | "retention"> & Partial<StreamConfig>,
  { replicas, signal }: ClusterOptions,
): Promise<void> {
  const { streams } = manager;
  const existing = await streams.info(config.name).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (existing === undefined) {
    await streams.add({
      storage: StorageType.File,
      // Within this time the broker drops repeated messages; receivers always have to.
      duplicate_window: nanos(10 * MINUTE_MS),
      num_replicas: replicas,
      ...config,
    });
  } else if (existing.config.num_replicas < replicas) {
    await streams.update(config.name, { ...existing.config, num_replicas: replicas });
    await untilReplicated(manager, config.name, "all", signal);
  }
  await untilReplicated(manager, config.name, "most", signal);
}

function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === STREAM_NOT_FOUND;
}

/** Why the broker does not do as it was asked, in its words where it has answered. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof NatsError)) return error instanceof Error ? error.message : String(error);
  if (error.code === ErrorCode.Timeout) return "no answer in time, as without most of its servers";
  return error.api_error?.description ?? error.message;
}

/** A stream as it is, with the sequences that are missing between its first and its last. */
export function readStream(manager: JetStreamManager, name: string): Promise<StreamInfo> {
  return manager.streams.info(name, { deleted_details: true });
}

/** The id of the message with a sequence that the stream has. */
export async function messageIdAt(
  { streams }: JetStreamManager,
  name: string,
  seq: number,
): Promise<string> {
  return (await streams.getMessage(name, { seq })).header.get("Nats-Msg-Id");
}

/**
 * Removes all messages, for a stream that gets them again. The broker also forgets their ids, by
 * which it would drop them as repetitions; consumers and settings stay.
 */
export async function emptyStream({ streams }: JetStreamManager, name: string): Promise<void> {
  const { config } = await streams.info(name);
  await streams.update(name, { ...config, duplicate_window: nanos(SHORTEST_WINDOW_MS) });
  await streams.purge(name);
  await streams.update(name, config);
}

const SHORTEST_WINDOW_MS = 100;

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

/** Servers of the cluster are away, or take long to copy a stream. */
class NotReplicated extends Error {
  override readonly name = "NotReplicated";
}

const ASK_EVERY_MS = 200;
const PATIENCE_MS = 60_000;

/**
 * Waits until all servers that are to keep a stream have what it holds, or most of them, without
 * which the cluster may lose what it acknowledges. Returns early when `signal` aborts.
 * @throws NotReplicated after a minute
 */
async function untilReplicated(
  { streams }: JetStreamManager,
  name: string,
  wanted: "all" | "most",
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  while (!signal.aborted) {
    const info = await streams.info(name);
    const { num_replicas: replicas } = info.config;
    const least = wanted === "all" ? replicas : Math.floor(replicas / 2) + 1;
    const current = currentServers(info);
    if (current >= least) return;
    if (timeout.aborted) {
      throw new NotReplicated(
        `${current} of the ${replicas} servers that keep ${name} have it whole`,
      );
    }
    await sleep(ASK_EVERY_MS, signal);
  }
}

function currentServers({ cluster, config }: StreamInfo): number {
  if (config.num_replicas === 1) return 1;
  if (!cluster?.leader) return 0;
  const others = cluster.replicas ?? [];
  return 1 + others.filter((peer) => peer.name !== cluster.leader && isCurrent(peer)).length;
}

/** A server that was just named counts as current before the leader has heard of it. */
function isCurrent({ current, offline, active, lag = 0 }: PeerInfo): boolean {
  return current && !offline && active > 0 && lag === 0;
}
