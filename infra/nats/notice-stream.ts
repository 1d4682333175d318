import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import { NOTICES } from "#contracts/names.ts";

const MINUTE_MS = 60_000;

/** JetStream's error code for a stream that is not there. */
const STREAM_NOT_FOUND = 10_059;

/*
 * The publisher alone, of which one works at a time, makes stream and consumer: a broker that is
 * asked by several at once can end with a consumer whose messages reach nobody (seen with 2.9.10).
 */

/**
 * Makes the stream of notices where there is none; one that is there is left as its operator wants
 * it (replicas, limits). Messages stay until they are acknowledged.
 * @returns the sequence of the last message that the stream has taken, 0 for a new one
 */
export async function ensureNoticeStream(manager: JetStreamManager): Promise<number> {
  try {
    const { state } = await manager.streams.info(NOTICES.stream);
    return state.last_seq;
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
  }
  const { state } = await manager.streams.add({
    name: NOTICES.stream,
    subjects: [NOTICES.subjects],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    // Repeated messages are dropped by the broker in this time, and by the notifier at any time.
    duplicate_window: nanos(10 * MINUTE_MS),
  });
  return state.last_seq;
}

function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === STREAM_NOT_FOUND;
}

/** Makes the durable consumer that all notifiers share, where there is none. */
export async function ensureNoticeConsumer(
  manager: JetStreamManager,
  ackWaitMs: number,
): Promise<void> {
  await manager.consumers.add(NOTICES.stream, {
    durable_name: NOTICES.consumer,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    // Unacknowledged for so long, a message is given to a notifier again, however often.
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
  });
}
