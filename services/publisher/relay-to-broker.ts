import type { JetStreamClient, JetStreamManager, PubAck } from "nats";
import type { Logger } from "pino";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { openNatsSession } from "#infra/nats/nats-session.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import {
  noteBrokerSequence,
  readRelayCheckpoint,
  rewindRelay,
} from "#infra/relays/relay-checkpoint.ts";
import { type RelayDeps, relayEvents } from "#infra/relays/relay-events.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";

export type BrokerDeps = RelayDeps & {
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** What is published into one stream of the broker. */
export type BrokerRelay = {
  /** Name of the checkpoint, the lease and the connection. */
  readonly name: string;
  /** Types of the events that are published. */
  readonly types: readonly string[];
  /** Creates what is missing at the broker. @returns sequence of the stream's last message */
  readonly prepare: (manager: JetStreamManager) => Promise<number>;
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

/** The broker has reused the sequence of an earlier message: it has lost messages. */
class BrokerLostMessages extends Error {
  override readonly name = "BrokerLostMessages";
}

/**
 * Publishes the events after the checkpoint over one connection, until it is lost or `signal`
 * aborts. A broker that has lost acknowledged messages (its disk, its stream) gets every event of
 * the log again; messages stored not long ago are recognised by their ids.
 */
async function publishEvents(
  deps: BrokerDeps,
  relay: BrokerRelay,
  onConnected: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { name, types } = relay;
  const session = await openNatsSession(deps.natsUrl, name);
  try {
    const { connection, lost } = session;
    const last = await relay.prepare(await connection.jetstreamManager());
    await rewindIfLost(deps, name, last);
    onConnected();
    const send = sender(deps, relay, connection.jetstream(), last);
    await relayEvents(
      deps,
      { name, types, send, onProgress: () => {} },
      AbortSignal.any([signal, lost]),
    );
  } finally {
    await session.close();
  }
}

async function rewindIfLost(
  { pool, logger }: BrokerDeps,
  name: string,
  brokerSequence: number,
): Promise<void> {
  const noted = (await readRelayCheckpoint(pool, name)).brokerSequence;
  if (brokerSequence >= noted) return;
  logger.warn(
    { relay: name, brokerSequence, noted },
    "the broker has lost messages, all are published again",
  );
  await rewindRelay(pool, name);
}

function sender(
  { pool }: BrokerDeps,
  { name, publish }: BrokerRelay,
  client: JetStreamClient,
  first: number,
): (event: RecordedEvent) => Promise<void> {
  let last = first;
  return async (event) => {
    const { seq, duplicate } = await publish(client, event);
    if (duplicate) return;
    if (seq <= last) {
      await rewindRelay(pool, name);
      throw new BrokerLostMessages(`sequence ${seq} follows ${last}`);
    }
    last = seq;
    await noteBrokerSequence(pool, name, seq);
  };
}
