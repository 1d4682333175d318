import type { Logger } from "#infra/logging/logger.ts";
import { createWebhook } from "#infra/notifications/webhook.ts";
import { createLogSource, type NoticeSource } from "./notifier/notice-source.ts";
import { startNotifier } from "./notifier/start-notifier.ts";
import { openPart } from "./open-part.ts";
import type { PartOptions } from "./service-options.ts";

const SECOND = 1_000;
const WEBHOOK_TIMEOUT_MS = 10 * SECOND;
/** Generous, since storing a notice takes one statement. */
const ACK_WAIT_MS = 30 * SECOND;
const MAX_CONNECTIONS = 4;

/** States of the parts of delivery that run in this process, by part. */
export type DeliveryStates = () => Readonly<Record<string, string>>;

export async function openDelivery(options: PartOptions): Promise<DeliveryStates> {
  const { roles } = options.config;
  const publisher = roles.has("publisher") ? await openPublisher(options) : null;
  const notifier = roles.has("notifier") ? await openNotifier(options) : null;
  return () => ({
    ...(publisher && { publisher: publisher.state() }),
    ...(notifier && { notifier: notifier.state() }),
  });
}

/** Does nothing without a broker: notifiers then read the log themselves. */
async function openPublisher(options: PartOptions) {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, natsReplicas } = config;
  if (natsUrl === null) return null;
  // The clients of brokers are loaded only when one is configured: each is 5 MiB.
  const { startPublisher } = await import("./publisher/start-publisher.ts");
  const { pool, logger } = await openPart(options, "publisher", MAX_CONNECTIONS);
  const publisher = startPublisher({
    databaseUrl,
    openSocket,
    log,
    pool,
    natsUrl,
    natsReplicas,
    ackWaitMs: ACK_WAIT_MS,
    logger,
    onFatal,
  });
  lifecycle.onClose("publisher", publisher.close, { atOnce: true });
  return publisher;
}

async function openNotifier(options: PartOptions) {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, emailWebhook, publicBaseUrl } = config;
  const { pool, logger } = await openPart(options, "notifier", MAX_CONNECTIONS);
  const source =
    natsUrl === null
      ? createLogSource({ databaseUrl, openSocket, log, pool, logger })
      : await openBrokerSource(natsUrl, logger);
  const webhook = emailWebhook && createWebhook({ ...emailWebhook, timeoutMs: WEBHOOK_TIMEOUT_MS });
  if (emailWebhook?.secrets.length === 0) {
    logger.warn(
      "EMAIL_WEBHOOK_SECRET is not set: the receiver at EMAIL_WEBHOOK_URL cannot tell our notifications from forged ones",
    );
  }
  const now = (): Date => new Date();
  const deps = { source, pool, log, webhook, publicBaseUrl, logger, now, onFatal };
  const notifier = startNotifier(deps);
  lifecycle.onClose("notifier", notifier.close, { atOnce: true });
  return notifier;
}

async function openBrokerSource(natsUrl: string, logger: Logger): Promise<NoticeSource> {
  const { createBrokerSource } = await import("./notifier/broker-source.ts");
  return createBrokerSource({ natsUrl, logger });
}
