import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  nanos,
  type PubAck,
  RetentionPolicy,
  type StreamConfig,
} from "nats";
import { type CatalogueChange, CHANGE_HEADERS } from "#contracts/changes/messages.ts";
import { CLOUD_EVENT_TYPE } from "#contracts/cloud-event.ts";
import { CHANGES, changeSubject } from "#contracts/names.ts";
import { DAY_MS } from "#contracts/units.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import type { Retention } from "#infra/relays/published-messages.ts";
import { type ClusterOptions, ensureStream, publishToStream } from "./streams.ts";

/** A message is below 2 KB: 10,000 changes a day are at most 600 MB. */
const MAX_AGE_DAYS = 30;

/**
 * Creates a missing stream of changes. Subscribers come and go, so it keeps messages by age and not
 * until they are taken; what is older is in the log.
 */
export function ensureChangeStream(
  manager: JetStreamManager,
  options: ClusterOptions,
): Promise<void> {
  const config = {
    name: CHANGES.stream,
    subjects: [CHANGES.subjects],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(MAX_AGE_DAYS * DAY_MS),
  };
  return ensureStream(manager, config, options);
}

/** The clocks of broker and database may differ by a tenth of the age. */
const SURELY_KEPT = 0.9;

/** Which messages a stream with these settings still has to have. */
export function changeRetention(config: StreamConfig): Retention {
  const { max_age, max_msgs, max_bytes, max_msgs_per_subject } = config;
  const keptMs = max_age === 0 ? MAX_AGE_DAYS * DAY_MS : max_age / nanos(1);
  const newestOnly = [max_msgs, max_bytes, max_msgs_per_subject].some((limit) => limit > 0);
  return { kind: "by age", keptMs: SURELY_KEPT * keptMs, newestOnly };
}

/** Publishes one change, under its id. @throws NatsError like `publishToStream` */
export function publishChange(
  client: JetStreamClient,
  kind: string,
  change: CatalogueChange,
  position: Position,
): Promise<PubAck> {
  return publishToStream(client, {
    stream: CHANGES.stream,
    subject: changeSubject(change.subject, kind),
    id: change.id,
    body: change,
    headers: {
      [CHANGE_HEADERS.contentType]: CLOUD_EVENT_TYPE,
      [CHANGE_HEADERS.position]: position,
    },
  });
}
