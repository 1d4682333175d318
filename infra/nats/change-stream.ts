import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  nanos,
  type PubAck,
  RetentionPolicy,
} from "nats";
import { type CatalogueChange, CHANGE_HEADERS } from "#contracts/changes/messages.ts";
import { CLOUD_EVENT_TYPE } from "#contracts/cloud-event.ts";
import { CHANGES, changeSubject } from "#contracts/names.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { ensureStream, publishToStream } from "./streams.ts";

const DAY_MS = 24 * 60 * 60_000;
/** A message is below 2 KB: 10,000 changes a day are at most 600 MB. */
const MAX_AGE_DAYS = 30;

/**
 * Creates a missing stream of changes. Subscribers come and go, so it keeps messages by age and not
 * until they are taken; what is older is in the log.
 * @returns the sequence of the stream's last message, 0 for a new stream
 */
export function ensureChangeStream(manager: JetStreamManager): Promise<number> {
  return ensureStream(manager, {
    name: CHANGES.stream,
    subjects: [CHANGES.subjects],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(MAX_AGE_DAYS * DAY_MS),
  });
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
