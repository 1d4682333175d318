import { ANALYTICS_HEADERS, type AnalyticsContent } from "#contracts/analytics/messages.ts";
import { CLOUD_EVENT_TYPE } from "#contracts/cloud-event.ts";
import type { SizedMessage } from "#infra/brokers/kafka.ts";
import { cloudEventOf } from "#infra/brokers/relay.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";

export type FeedMessage = SizedMessage;

/** Makes the messages for one event of the log. */
export type MessageMaker = (
  ordinal: number,
  content: AnalyticsContent,
  subject?: string,
) => FeedMessage;

/** Generous size of headers, key and the broker's own fields, in addition to the value. */
const OVERHEAD_BYTES = 256;

/** @param publicBaseUrl URL of the service, the base of a catalogue's URL */
export function messageMaker(
  recorded: Pick<RecordedEvent, "id" | "position" | "recordedAt">,
  catalogueId: string,
  publicBaseUrl: string,
): MessageMaker {
  const { id, position } = recorded;
  return (ordinal, { type, data }, subject) => {
    const value = JSON.stringify({
      ...cloudEventOf(recorded, catalogueId, publicBaseUrl),
      id: derivedUuid(`${id}\n${ordinal}`),
      type,
      subject,
      partitionkey: catalogueId,
      data,
    });
    return {
      key: catalogueId,
      value,
      headers: {
        [ANALYTICS_HEADERS.contentType]: CLOUD_EVENT_TYPE,
        [ANALYTICS_HEADERS.position]: position,
        [ANALYTICS_HEADERS.ordinal]: String(ordinal),
      },
      bytes: Buffer.byteLength(value) + OVERHEAD_BYTES,
    };
  };
}
