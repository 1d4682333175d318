import type { RecordedEvent } from "../event-log/event-log.ts";

/**
 * The attributes that all messages about an event of a catalogue have (`contracts/cloud-event.ts`).
 * @param publicBaseUrl URL of the service, the base of the catalogue's URL
 */
export function cloudEventOf(
  { id, recordedAt }: Pick<RecordedEvent, "id" | "recordedAt">,
  catalogueId: string,
  publicBaseUrl: string,
) {
  return {
    specversion: "1.0",
    id,
    source: `${publicBaseUrl}/api/catalogues/${catalogueId}`,
    time: recordedAt,
    datacontenttype: "application/json",
  } as const;
}
