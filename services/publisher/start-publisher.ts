import type { JetStreamClient } from "nats";
import type { Logger } from "pino";
import { RELAYS } from "#contracts/names.ts";
import type { Notice } from "#contracts/notifications/notice.ts";
import { openNatsSession } from "#infra/nats/nats-session.ts";
import {
  ensureNoticeConsumer,
  ensureNoticeStream,
  publishNotice,
} from "#infra/nats/notice-stream.ts";
import {
  noteBrokerSequence,
  readRelayCheckpoint,
  rewindRelay,
} from "#infra/notifications/relay-checkpoint.ts";
import { type RelayDeps, relayNotices } from "#infra/notifications/relay-notices.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";

export type PublisherDeps = Omit<PublishDeps, "onConnected"> & {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** Publishes notices to the broker: one of all processes does, and the others stand by. */
export function startPublisher(deps: PublisherDeps): Publisher {
  return publishUnderLease({
    ...deps,
    name: RELAYS.publisher,
    publish: (onConnected, signal) => publishNotices({ ...deps, onConnected }, signal),
  });
}

type PublishDeps = RelayDeps & {
  readonly natsUrl: string;
  /** How long a notifier may hold a message before it is redelivered to another. */
  readonly ackWaitMs: number;
  readonly logger: Logger;
  readonly onConnected: () => void;
};

/** The broker has reused the sequence of an earlier message: it has lost messages. */
class BrokerLostMessages extends Error {
  override readonly name = "BrokerLostMessages";
}

/**
 * Publishes the notices after the checkpoint over one connection, until it is lost or `signal`
 * aborts. A broker that has lost acknowledged messages (its disk, its stream) gets every notice of
 * the log again; notices already stored are recognised by their ids.
 */
async function publishNotices(deps: PublishDeps, signal: AbortSignal): Promise<void> {
  const session = await openNatsSession(deps.natsUrl, RELAYS.publisher);
  try {
    const { connection, lost } = session;
    const manager = await connection.jetstreamManager();
    const last = await ensureNoticeStream(manager);
    await ensureNoticeConsumer(manager, deps.ackWaitMs);
    await rewindIfLost(deps, last);
    deps.onConnected();
    const relay = {
      name: RELAYS.publisher,
      send: sender(deps, connection.jetstream(), last),
      onProgress: () => {},
    };
    await relayNotices(deps, relay, AbortSignal.any([signal, lost]));
  } finally {
    await session.close();
  }
}

async function rewindIfLost({ pool, logger }: PublishDeps, brokerSequence: number): Promise<void> {
  const noted = (await readRelayCheckpoint(pool, RELAYS.publisher)).brokerSequence;
  if (brokerSequence >= noted) return;
  logger.warn({ brokerSequence, noted }, "the broker has lost notices, all are published again");
  await rewindRelay(pool, RELAYS.publisher);
}

function sender(
  { pool }: PublishDeps,
  client: JetStreamClient,
  first: number,
): (notice: Notice) => Promise<void> {
  let last = first;
  return async (notice) => {
    const { seq, duplicate } = await publishNotice(client, notice);
    if (duplicate) return;
    if (seq <= last) {
      await rewindRelay(pool, RELAYS.publisher);
      throw new BrokerLostMessages(`sequence ${seq} follows ${last}`);
    }
    last = seq;
    await noteBrokerSequence(pool, RELAYS.publisher, seq);
  };
}
