import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createIdMarks, type MarkPlace } from "#services/domain/events/id-table.ts";

/** The roles in which an event of the merged catalogue has an id. */
const SOURCE_ID = 1;
const PUBLIC_ID = 2;

/**
 * Makes each `source_id` and each public id unique in the merged catalogue (infra/decisions/0008):
 * the first event with an id keeps it. A later one gets its public id as `source_id`, if that is
 * unique, else none. A lost id is kept in `extra`, unless such a member exists.
 */
export function createUniqueSourceIds(): (
  record: SeismicEventRecord,
  sourceId: string | null,
) => SeismicEventRecord {
  const marks = createIdMarks();
  const take = (place: MarkPlace, as: number): boolean => {
    const isFree = (marks.at(place) & as) === 0;
    marks.add(place, as);
    return isFree;
  };

  /** The first id that no other event has. */
  const firstFree = (...ids: readonly (string | null)[]): string | null =>
    ids.find((id) => id !== null && take(marks.ofSourceId(id), SOURCE_ID)) ?? null;

  return (record, proposal) => {
    const { publicId } = idsOf(record);
    const isOwn = publicId === null || take(marks.ofPublicId(publicId), PUBLIC_ID);
    let sourceId: string | null = null;
    if (proposal !== null && isOwn) sourceId = firstFree(proposal, publicId);
    else if (proposal !== publicId) sourceId = firstFree(proposal);
    if (isOwn && sourceId === proposal) return record;
    const proposed: JsonObject =
      proposal !== null && sourceId === null ? { source_id: proposal } : {};
    return { ...record, source_id: sourceId, extra: { ...proposed, ...extraOf(record, isOwn) } };
  };
}

function extraOf({ extra }: SeismicEventRecord, isOwn: boolean): JsonObject {
  const { public_id: publicId, ...others } = extra ?? {};
  if (isOwn || publicId === undefined) return extra ?? {};
  return { shared_public_id: publicId, ...others };
}
