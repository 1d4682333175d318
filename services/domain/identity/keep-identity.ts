import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/**
 * The given data of an event that the catalogue has, with its ids there: its `source_id` stays, and
 * so does its public id if none is given.
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
