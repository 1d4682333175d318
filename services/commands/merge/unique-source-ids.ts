import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createSeenIds } from "../seen-ids.ts";

/**
 * Makes each `source_id` unique in the merged catalogue (infra/decisions/0008): the first event that
 * has it keeps it. A later one's is kept in `extra.source_id` unless there is one already; either
 * way it is in the event's provenance.
 */
export function createUniqueSourceIds(): (
  record: SeismicEventRecord,
  sourceId: string | null,
) => SeismicEventRecord {
  const taken = createSeenIds();
  return (record, sourceId) => {
    if (sourceId === null || taken.add(sourceId)) return record;
    return { ...record, source_id: null, extra: { source_id: sourceId, ...record.extra } };
  };
}
