import type { JetStreamClient, JetStreamManager, PubAck, StreamConfig, StreamInfo } from "nats";
import type { Logger } from "pino";
import type { CommonQueryMethods } from "slonik";
import {
  type ClusterOptions,
  emptyStream,
  messageIdAt,
  type NatsSession,
  openNatsSession,
  readStream,
  refusalOf,
} from "#infra/brokers/nats.ts";
import {
  compareWithPublished,
  forgetAllPublished,
  forgetPublished,
  noteLeader,
  notePublished,
  type RelayDeps,
  type Retention,
  readRelayCheckpoint,
  relayEvents,
  rewindRelay,
} from "#infra/brokers/relay.ts";
import { repeat } from "#infra/kernel/waiting.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { BrokerNotReady, type Publisher, publishUnderLease } from "./publish-under-lease.ts";

export type BrokerDeps = RelayDeps & {
  readonly natsUrl: string;
  /** Servers of the broker that keep each stream. */
  readonly natsReplicas: number;
  /** Default 10 s. */
  readonly compareEveryMs?: number;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

export type BrokerRelay = ComparedStream & {
  /** Name of the checkpoint, the lease and the connection. */
  readonly name: string;
  readonly types: readonly string[];
  /** Creates what is missing at the broker. */
  readonly prepare: (manager: JetStreamManager, options: ClusterOptions) => Promise<void>;
  /** Publishes one event under its id; resolves when the stream has stored it. */
  readonly publish: (client: JetStreamClient, event: RecordedEvent) => Promise<PubAck>;
};

/** Publishes events to the broker: one of all processes does, and the others stand by. */
export function relayToBroker(deps: BrokerDeps, relay: BrokerRelay): Publisher {
  return publishUnderLease({
    ...deps,
    name: relay.name,
    publish: (onConnected, signal) => publishEvents(deps, relay, onConnected, signal),
  });
}

/** How often the stream is compared with what was published. */
const COMPARE_EVERY_MS = 10_000;

/**
 * Publishes the events after the checkpoint over one connection, until it is lost or `signal`
 * aborts. A broker that has lost acknowledged messages gets every event of the log again.
 * @throws BrokerLostMessages when it has lost some meanwhile; BrokerNotReady
 */
async function publishEvents(
  deps: BrokerDeps,
  relay: BrokerRelay,
  onConnected: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { name, types, stream } = relay;
  const { pool, logger, natsReplicas: replicas, compareEveryMs = COMPARE_EVERY_MS } = deps;
  const session = await openNatsSession(deps.natsUrl, name);
  const failing = new AbortController();
  const ended = AbortSignal.any([signal, session.lost, failing.signal]);
  try {
    const manager = await prepared(session, relay, { replicas, signal: ended });
    const loss = await findLoss(pool, relay, manager, Number.MAX_SAFE_INTEGER);
    if (loss !== null) {
      logger.warn({ relay: name, loss }, "the broker has lost messages, all are published again");
      await emptyStream(manager, stream);
      await rewindRelay(pool, name);
    }
    onConnected();
    const sender = createSender(pool, relay, session.connection.jetstream());
    const compare = async (): Promise<void> => {
      const lost = await findLoss(pool, relay, manager, sender.acknowledged());
      if (lost !== null) throw new BrokerLostMessages(lost);
    };
    const comparing = repeat(compareEveryMs, compare, (error) => failing.abort(error));
    try {
      await relayEvents(deps, { name, types, send: sender.send, onProgress: () => {} }, ended);
    } finally {
      await comparing.close();
    }
    failing.signal.throwIfAborted();
  } finally {
    await session.close();
  }
}

/** @throws BrokerNotReady when the broker has no stream to publish to */
async function prepared(
  { connection, lost }: NatsSession,
  { prepare }: BrokerRelay,
  options: ClusterOptions,
): Promise<JetStreamManager> {
  try {
    const manager = await connection.jetstreamManager();
    await prepare(manager, options);
    return manager;
  } catch (cause) {
    if (lost.aborted) throw cause;
    const { replicas } = options;
    const wish = replicas === 1 ? "its stream" : `${replicas} copies of its stream (NATS_REPLICAS)`;
    throw new BrokerNotReady(`the broker does not keep ${wish}: ${refusalOf(cause)}`, { cause });
  }
}

function createSender(
  pool: CommonQueryMethods,
  { name, publish }: BrokerRelay,
  client: JetStreamClient,
) {
  let acknowledged = 0;
  return {
    /** Sequence of the last message that was acknowledged and noted. */
    acknowledged: () => acknowledged,
    async send(event: RecordedEvent): Promise<void> {
      const { seq, duplicate } = await publish(client, event);
      if (!duplicate && seq <= acknowledged) {
        throw new BrokerLostMessages(`sequence ${seq} follows ${acknowledged}`);
      }
      await notePublished(pool, name, seq, event.id);
      acknowledged = Math.max(acknowledged, seq);
    },
  };
}

/** The broker has lost messages that it acknowledged, or uses their sequences again. */
class BrokerLostMessages extends Error {
  override readonly name = "BrokerLostMessages";
}

/** A stream that is compared with what was published into it. */
type ComparedStream = {
  /** Name of the relay's checkpoint. */
  readonly name: string;
  readonly stream: string;
  /** What a stream with these settings still has to have. */
  readonly retention: (config: StreamConfig) => Retention;
};

/**
 * Compares a stream with what was published into it: its last sequence, all sequences that it should
 * have, and the id of the newest. A stream that its operator has emptied has lost nothing.
 * @param acknowledged the last sequence that the broker has acknowledged
 * @returns what it has lost, in words; null for nothing
 */
async function findLoss(
  pool: CommonQueryMethods,
  { name, stream, retention: retentionOf }: ComparedStream,
  manager: JetStreamManager,
  acknowledged: number,
): Promise<string | null> {
  const { brokerSequence, brokerLeader } = await readRelayCheckpoint(pool, name);
  const info = await readStream(manager, stream);
  const { first_seq: first, last_seq: last, deleted = [] } = info.state;
  if (last < brokerSequence) return `its last sequence is ${last}, not ${brokerSequence}`;
  const leader = info.cluster?.leader ?? null;
  const retention = retentionOf(info.config);
  if (isEmptied(info, retention) && leader === brokerLeader) await forgetAllPublished(pool, name);
  const content = { first, last, deleted };
  const { lacking, newest } = await compareWithPublished(
    pool,
    name,
    retention,
    content,
    acknowledged,
  );
  if (lacking > 0) return `${lacking} of its messages are gone`;
  if (newest !== null && (await messageIdAt(manager, stream, newest.sequence)) !== newest.eventId) {
    return `its message ${newest.sequence} is another one`;
  }
  await noteLeader(pool, name, leader);
  await forgetPublished(pool, name, retention);
  return null;
}

/** Another server that leads the stream, and has none of its messages, has lost them. */
function isEmptied({ state }: StreamInfo, { kind }: Retention): boolean {
  return kind === "by age" && state.messages === 0 && state.last_seq > 0;
}
