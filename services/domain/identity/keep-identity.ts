import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/**
 * What is given of an event that a catalogue has, under the ids that it has there: its `source_id` stays,
 * and its public id does where none is given.
 */
export function keepIdentity(
  given: SeismicEventRecord,
  { sourceId, publicId }: EventIds,
): SeismicEventRecord {
  const present = idsOf(given).publicId ?? publicId;
  const record = given.source_id === sourceId ? given : { ...given, source_id: sourceId };
  if (idsOf(record).publicId === present) return record;
  return { ...record, extra: { ...record.extra, public_id: present } };
}
