import type { JetStreamClient, PubAck } from "nats";
import { NOTICES, noticeSubject } from "#contracts/names.ts";
import type { Notice } from "#contracts/notifications/notice.ts";

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
