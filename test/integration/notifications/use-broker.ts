import { connect } from "nats";
import { onTestFinished } from "vitest";
import { NOTICES } from "#contracts/events/log.ts";
import { takeNotice } from "#infra/brokers/notifications.ts";
import { createBrokerSource } from "#services/notifier/broker-source.ts";
import {
  createLogSource,
  type Notifier,
  startNotifier,
} from "#services/notifier/start-notifier.ts";
import { startPublisher } from "#services/publisher/broker.ts";
import type { Publisher } from "#services/publisher/publish-under-lease.ts";
import type { NotificationScene } from "./use-notifications.ts";

/** Short, since tests wait until what a dead notifier held comes to another. */
const ACK_WAIT_MS = 500;

/** A message as anybody could read it at the broker. */
export type SeenMessage = { readonly subject: string; readonly id: string; readonly data: string };

function fail(error: unknown): void {
  throw error;
}

export function publisherOf({ accounts, deps }: NotificationScene, natsUrl: string): Publisher {
  const { databaseUrl, log, pool } = accounts;
  const publisher = startPublisher({
    databaseUrl,
    log,
    pool,
    natsUrl,
    natsReplicas: 1,
    ackWaitMs: ACK_WAIT_MS,
    logger: deps.logger,
    onFatal: fail,
  });
  onTestFinished(publisher.close);
  return publisher;
}

/** A notifier that takes its notices from the broker. */
export function notifierOf({ deps }: NotificationScene, natsUrl: string): Notifier {
  const source = createBrokerSource({ natsUrl, logger: deps.logger });
  const notifier = startNotifier({ ...deps, source, onFatal: fail });
  onTestFinished(notifier.close);
  return notifier;
}

/** A notifier that takes its notices from the log. */
export function inProcessNotifierOf({ accounts, deps }: NotificationScene): Notifier {
  const { databaseUrl, log, pool } = accounts;
  const source = createLogSource({ databaseUrl, log, pool, logger: deps.logger });
  const notifier = startNotifier({ ...deps, source, onFatal: fail });
  onTestFinished(notifier.close);
  return notifier;
}

/** A source that takes notices in, and dies before it can tell the broker. */
export function dyingSourceOf({ deps }: NotificationScene, natsUrl: string) {
  const stopping = new AbortController();
  const source = createBrokerSource({ natsUrl, logger: deps.logger });
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  const running = source.run(async (notice) => {
    await takeNotice(deps.pool, notice, deps.now());
    stopping.abort();
    resolve();
    throw new Error("died before acknowledging");
  }, stopping.signal);
  return { taken, ended: running };
}

/** Everything that is published on the broker from now on. */
export async function listenTo(url: string): Promise<SeenMessage[]> {
  const connection = await connect({ servers: new URL(url).host });
  const seen: SeenMessage[] = [];
  const subscription = connection.subscribe(NOTICES.subjects, {
    callback: (error, message) => {
      if (error) throw error;
      const { subject, headers } = message;
      seen.push({ subject, id: headers?.get("Nats-Msg-Id") ?? "", data: message.string() });
    },
  });
  await connection.flush();
  onTestFinished(async () => {
    subscription.unsubscribe();
    await connection.close();
  });
  return seen;
}

/** Messages that the stream has stored and nobody has acknowledged. */
export async function storedMessages(url: string): Promise<number> {
  const connection = await connect({ servers: new URL(url).host });
  try {
    const manager = await connection.jetstreamManager();
    return (await manager.streams.info(NOTICES.stream)).state.messages;
  } finally {
    await connection.close();
  }
}
