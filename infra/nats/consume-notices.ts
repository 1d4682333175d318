import { addAbortListener } from "node:events";
import type { Consumer, JsMsg, NatsConnection } from "nats";
import { NOTICES } from "#contracts/names.ts";
import { Notice } from "#contracts/notifications/notice.ts";
import { backoffMs } from "#infra/kernel/backoff.ts";
import type { Logger } from "#infra/logging/logger.ts";

/** How long one request waits for messages. */
const EXPIRES_MS = 10_000;
const BATCH = 20;

const REDELIVERY_MS = 1_000;
const MAX_REDELIVERY_MS = 10 * 60_000;

export type NoticeConsumer = {
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
