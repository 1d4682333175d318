import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  nanos,
  type PubAck,
  RetentionPolicy,
} from "nats";
import { NOTICES, noticeSubject } from "#contracts/names.ts";
import type { Notice } from "#contracts/notifications/notice.ts";
import { type ClusterOptions, ensureStream, publishToStream } from "./streams.ts";

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
