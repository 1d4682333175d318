import { bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { KnownEvent, KnownEvents } from "./known-events.ts";

const ADDRESS = /^https?:\/\//i;

/**
 * The ids by which a row of a table names an event: a bare id, a public one, or the address of the
 * event's page, of which the bare id is taken.
 */
export function namingIds(record: Parameters<typeof idsOf>[0]): EventIds {
  const ids = idsOf(record);
  const { sourceId, publicId } = ids;
  if (publicId !== null || sourceId === null || !ADDRESS.test(sourceId)) return ids;
  return { sourceId: bareIdOf({ sourceId, publicId: sourceId }), publicId: null };
}

/**
 * The event that ids name, whatever other rows name: by its public id, else by its bare one where that
 * is no other's. Null where there is none, or where several may be meant.
 */
export function namedEvent<K extends KnownEvent>(ids: EventIds, known: KnownEvents<K>): K | null {
  const { sourceId, publicId } = ids;
  if (publicId !== null) {
    const same = known.withPublicId(publicId);
    if (same !== undefined) return same;
    const bare = bareIdOf(ids);
    const namesake = bare === null ? undefined : known.withSourceId(bare);
    return namesake?.publicId === null ? namesake : null;
  }
  if (sourceId === null) return null;
  const namesake = known.withSourceId(sourceId);
  const others = known.underPublicId(sourceId);
  if (namesake !== undefined) {
    return namesake.publicId !== null && others.length > 0 ? null : namesake;
  }
  const [only, ...further] = others;
  return only !== undefined && further.length === 0 ? only : null;
}
