import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  NatsError,
  nanos,
  type PubAck,
  RetentionPolicy,
  StorageType,
} from "nats";
import { NOTICES, noticeSubject } from "#contracts/names.ts";
import type { Notice } from "#contracts/notifications/notice.ts";

const MINUTE_MS = 60_000;

/** JetStream's error code for a missing stream. */
const STREAM_NOT_FOUND = 10_059;

/**
 * Only the publisher creates stream and consumer, and one publisher works at a time: concurrent
 * requests can leave a broker with a consumer that delivers no messages (seen with 2.9.10).
 */

/**
 * Creates a missing stream of notices; an existing one stays as its operator configured it
 * (replicas, limits). Messages stay until they are acknowledged.
 * @returns the sequence of the stream's last message, 0 for a new stream
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
    // Within this time the broker drops repeated messages; the notifier always does.
    duplicate_window: nanos(10 * MINUTE_MS),
  });
  return state.last_seq;
}

function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === STREAM_NOT_FOUND;
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

const ACK_TIMEOUT_MS = 5_000;

/**
 * Publishes one notice; resolves when the stream has stored it. Its id is the message id, by which
 * the broker drops repetitions.
 * @throws NatsError when the broker does not confirm in time; the message may be stored all the same
 */
export function publishNotice(client: JetStreamClient, notice: Notice): Promise<PubAck> {
  return client.publish(noticeSubject(notice.type), JSON.stringify(notice), {
    msgID: notice.id,
    timeout: ACK_TIMEOUT_MS,
    expect: { streamName: NOTICES.stream },
  });
}
