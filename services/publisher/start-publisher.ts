import { NOTICES, RELAYS } from "#contracts/names.ts";
import { ensureNoticeConsumer, ensureNoticeStream, publishNotice } from "#infra/brokers/nats.ts";
import { NOTIFIED_TYPES, noticeOf } from "#infra/brokers/notifications.ts";
import type { Publisher } from "./publish-under-lease.ts";
import { type BrokerDeps, relayToBroker } from "./relay-to-broker.ts";

export type PublisherDeps = BrokerDeps & {
  /** How long a notifier may hold a message before it is redelivered to another. */
  readonly ackWaitMs: number;
};

/** Publishes notices to the broker: one of all processes does, and the others stand by. */
export function startPublisher(deps: PublisherDeps): Publisher {
  return relayToBroker(deps, {
    name: RELAYS.publisher,
    types: NOTIFIED_TYPES,
    stream: NOTICES.stream,
    retention: () => ({ kind: "until taken" }),
    async prepare(manager, options) {
      await ensureNoticeStream(manager, options);
      await ensureNoticeConsumer(manager, deps.ackWaitMs);
    },
    publish: (client, event) => publishNotice(client, noticeOf(event)),
  });
}
