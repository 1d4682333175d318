import { addAbortListener, EventEmitter } from "node:events";
import type { Socket } from "node:net";
import {
  AckPolicy,
  type Consumer,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  ErrorCode,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  NatsError,
  nanos,
  type PeerInfo,
  type PubAck,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "nats";
import { CHANGES, changeSubject, NOTICES, noticeSubject } from "#contracts/events/log.ts";
import { Notice } from "#contracts/events/notices.ts";
import {
  type CatalogueChange,
  CHANGE_HEADERS,
  CLOUD_EVENT_TYPE,
} from "#contracts/messages/changes.ts";
import { DAY_MS, MINUTE_MS } from "#contracts/units.ts";
import type { Position } from "#infra/log/event-log.ts";
import type { Logger } from "#infra/process/logger.ts";
import { readNatsServers } from "../config/servers.ts";
import { backoffMs, sleep } from "../kernel/waiting.ts";
import type { Retention } from "./relay.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** A broker that misses two pings is considered gone. */
const PING_MS = 10_000;

export type NatsSession = Awaited<ReturnType<typeof openNatsSession>>;

/**
 * One connection to the broker, to any of its servers. A lost session does not reconnect: its user
 * opens another and then checks what the broker still has.
 * @param url as NATS_URL takes it
 * @throws NatsError when none of the servers can be reached, each within 5 s
 */
export async function openNatsSession(url: string, name: string) {
  const connection = await connect({
    ...readNatsServers(url),
    name,
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
  });
  hearSocketErrors(connection);
  const lost = new AbortController();
  const closed = connection.closed().then((error) => {
    lost.abort(error ?? new Error("the connection to the broker ended"));
  });
  return {
    connection,
    /** Aborts when the connection has ended, on either side. */
    lost: lost.signal,
    /** Closes the connection after sending what was written. */
    async close(): Promise<void> {
      if (!connection.isClosed()) await connection.close();
      await closed;
    },
  };
}

/** Where the client, whose version is pinned, keeps its socket. */
type Internals = { readonly protocol?: { readonly transport?: { readonly socket?: Socket } } };

/**
 * Adds an error listener to the client's socket. The client removes its own before it destroys the
 * socket; a late error (a write after the broker closed the connection) would then end the process.
 * The client detects the lost connection by itself.
 */
function hearSocketErrors(connection: NatsConnection): void {
  const socket = (connection as unknown as Internals).protocol?.transport?.socket;
  if (socket === undefined) throw new Error("the NATS client keeps its socket somewhere else");
  const ignore = (): void => undefined;
  socket.on("error", ignore);
  socket.removeAllListeners = (event) => {
    EventEmitter.prototype.removeAllListeners.call(socket, event);
    return socket.on("error", ignore);
  };
}

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
async function ensureStream(
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

type StreamMessage = {
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
function publishToStream(
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

/** A message is below 2 KB: 10,000 changes a day are at most 600 MB. */
const MAX_AGE_DAYS = 30;

/**
 * Creates a missing stream of changes. Subscribers come and go, so it keeps messages by age and not
 * until they are taken; what is older is in the log.
 */
export function ensureChangeStream(
  manager: JetStreamManager,
  options: ClusterOptions,
): Promise<void> {
  const config = {
    name: CHANGES.stream,
    subjects: [CHANGES.subjects],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(MAX_AGE_DAYS * DAY_MS),
  };
  return ensureStream(manager, config, options);
}

/** The clocks of broker and database may differ by a tenth of the age. */
const SURELY_KEPT = 0.9;

/** Which messages a stream with these settings still has to have. */
export function changeRetention(config: StreamConfig): Retention {
  const { max_age, max_msgs, max_bytes, max_msgs_per_subject } = config;
  const keptMs = max_age === 0 ? MAX_AGE_DAYS * DAY_MS : max_age / nanos(1);
  const newestOnly = [max_msgs, max_bytes, max_msgs_per_subject].some((limit) => limit > 0);
  return { kind: "by age", keptMs: SURELY_KEPT * keptMs, newestOnly };
}

/** Publishes one change, under its id. @throws NatsError like `publishToStream` */
export function publishChange(
  client: JetStreamClient,
  kind: string,
  change: CatalogueChange,
  position: Position,
): Promise<PubAck> {
  return publishToStream(client, {
    stream: CHANGES.stream,
    subject: changeSubject(change.subject, kind),
    id: change.id,
    body: change,
    headers: {
      [CHANGE_HEADERS.contentType]: CLOUD_EVENT_TYPE,
      [CHANGE_HEADERS.position]: position,
    },
  });
}

/** Creates a missing stream of notices, in which messages stay until they are acknowledged. */
export function ensureNoticeStream(
  manager: JetStreamManager,
  options: ClusterOptions,
): Promise<void> {
  const config = {
    name: NOTICES.stream,
    subjects: [NOTICES.subjects],
    retention: RetentionPolicy.Workqueue,
  };
  return ensureStream(manager, config, options);
}

/** Creates the durable consumer that all notifiers share, when it is missing. */
export async function ensureNoticeConsumer(
  manager: JetStreamManager,
  ackWaitMs: number,
): Promise<void> {
  await manager.consumers.add(NOTICES.stream, {
    durable_name: NOTICES.consumer,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    // After this time an unacknowledged message is redelivered, any number of times.
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
  });
}

/** Publishes one notice, under its id. @throws NatsError like `publishToStream` */
export function publishNotice(client: JetStreamClient, notice: Notice): Promise<PubAck> {
  return publishToStream(client, {
    stream: NOTICES.stream,
    subject: noticeSubject(notice.type),
    id: notice.id,
    body: notice,
  });
}

/** How long one request waits for messages. */
const EXPIRES_MS = 10_000;
const BATCH = 20;

const REDELIVERY_MS = 1_000;
const MAX_REDELIVERY_MS = 10 * 60_000;

type NoticeConsumer = {
  /** Stores a notice; when it resolves, the notice is safe and the message is acknowledged. */
  readonly take: (notice: Notice) => Promise<void>;
  /** Called after each answer of the broker. */
  readonly onProgress: () => void;
  readonly logger: Logger;
};

/** The consumer that all notifiers share. @throws NatsError when it does not exist yet */
export function openNoticeConsumer(connection: NatsConnection): Promise<Consumer> {
  return connection.jetstream().consumers.get(NOTICES.stream, NOTICES.consumer);
}

/**
 * Takes the broker's notices until `signal` aborts. A notice that cannot be stored goes back and is
 * redelivered, after ever longer waits, without end.
 * @throws NatsError when the consumer or the stream is gone
 */
export async function consumeNotices(
  consumer: Consumer,
  deps: NoticeConsumer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const messages = await consumer.fetch({ max_messages: BATCH, expires: EXPIRES_MS });
    using _close = addAbortListener(signal, () => messages.close());
    for await (const message of messages) {
      // Without an acknowledgement in time a message is redelivered, to another notifier.
      if (signal.aborted) return;
      await handle(message, deps);
    }
    deps.onProgress();
  }
}

async function handle(message: JsMsg, { take, logger }: NoticeConsumer): Promise<void> {
  try {
    await take(Notice.parse(message.json()));
    await message.ackAck();
  } catch (error) {
    const { deliveryCount } = message.info;
    const delayMs = Math.round(backoffMs(deliveryCount - 1, REDELIVERY_MS, MAX_REDELIVERY_MS));
    logger.warn({ err: error, sequence: message.seq, deliveryCount, delayMs }, "notice given back");
    message.nak(delayMs);
  }
}
