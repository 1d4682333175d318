import { fitsSourceId, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createIdMarks } from "#services/domain/identity/id-marks.ts";

/** What an event of the merged catalogue has an id as. */
const SOURCE_ID = 1;
const PUBLIC_ID = 2;

/**
 * Makes each `source_id` and each public id unique in the merged catalogue (infra/decisions/0008): the
 * first event that has it keeps it. A later one has its public id as `source_id` where that is its own,
 * else none; what it cannot have is kept in `extra`, unless there is such a member already.
 */
export function createUniqueSourceIds(): (
  record: SeismicEventRecord,
  sourceId: string | null,
) => SeismicEventRecord {
  const marks = createIdMarks();
  const take = (id: string, as: number): boolean => (marks.add(id, as) & as) === 0;

  return (record, given) => {
    const { publicId } = idsOf(record);
    const isOwn = publicId === null || take(publicId, PUBLIC_ID);
    const candidates = isOwn ? [given, publicId] : [given === publicId ? null : given];
    const sourceId = candidates.find(
      (id) => id !== null && fitsSourceId(id) && take(id, SOURCE_ID),
    );
    if (isOwn && (sourceId ?? null) === given) return record;
    const kept: JsonObject = sourceId === undefined ? { source_id: given } : {};
    return {
      ...record,
      source_id: sourceId ?? null,
      extra: { ...kept, ...extraOf(record, isOwn) },
    };
  };
}

function extraOf({ extra }: SeismicEventRecord, isOwn: boolean): JsonObject {
  const { public_id: publicId, ...others } = extra ?? {};
  if (isOwn || publicId === undefined) return extra ?? {};
  return { shared_public_id: publicId, ...others };
}
