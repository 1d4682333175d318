import { bareIdOf } from "#contracts/seismic-event/public-id.ts";
import type { KnownEvent, KnownEvents } from "./known-events.ts";
import { createSettledIds, type GivenIds, type SettledIds, type StoredIds } from "./settled-ids.ts";

/** The event of the catalogue that a submitted one corresponds to. */
export type Identified<K extends KnownEvent> =
  | { readonly outcome: "known"; readonly event: K }
  /** It has one of the other ids; `sourceId` is the `source_id` that it has from now on. */
  | { readonly outcome: "renamed"; readonly event: K; readonly sourceId: string }
  /** Not in the catalogue; `sourceId` is the `source_id` under which to add it. */
  | { readonly outcome: "new"; readonly sourceId: string | null }
  /** Its ids match several events of the catalogue, or one that was matched before. */
  | { readonly outcome: "unclear" };

/** Distinguishes the events of one import or submission (infra/decisions/0024). */
export type EventIdentifier = {
  /**
   * Registers an event; null for a repetition: the same public id came before, or the same
   * `source_id` and one of the two events has no public id.
   */
  readonly take: (ids: GivenIds) => StoredIds | null;
  /** Called once for each registered event, in the same order. */
  readonly identify: <K extends KnownEvent>(ids: StoredIds, known: KnownEvents<K>) => Identified<K>;
};

/**
 * Lookups show the catalogue before the first event, so later changes are tracked here. At most one
 * submitted event matches an event of the catalogue.
 */
export function createEventIdentifier(): EventIdentifier {
  const settled = createSettledIds();
  return {
    take: settled.take,
    identify(ids, known) {
      const { sourceId, publicId } = ids;
      if (publicId !== null) return identifyPublic(settled, ids, publicId, known);
      if (sourceId !== null) return identifyBare(settled, ids, sourceId, known);
      return { outcome: "new", sourceId: null };
    },
  };
}

function identifyPublic<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  publicId: string,
  known: KnownEvents<K>,
): Identified<K> {
  if (settled.hasMetPublic(ids)) return { outcome: "unclear" };
  const same = known.withPublicId(publicId);
  if (same !== undefined) return meet(settled, same, ids);
  const bare = bareIdOf(ids);
  const namesake = bare === null ? undefined : known.withSourceId(bare);
  if (namesake?.publicId === null && !settled.isMet(namesake)) return meet(settled, namesake, ids);
  const sourceId = freeSourceId(settled, ids, publicId, known);
  const renamed = meetFormer(settled, ids, sourceId, known);
  if (renamed !== null) return renamed;
  settled.settle(sourceId, publicId, ids);
  return { outcome: "new", sourceId };
}

/** The event's own `source_id`, else its public id; null when another event has that too. */
function freeSourceId(
  settled: SettledIds,
  ids: StoredIds,
  publicId: string,
  known: KnownEvents<KnownEvent>,
): string | null {
  const { sourceId } = ids;
  if (sourceId === null) return null;
  const isOwnFree = !settled.hasTakenSource(ids) && known.withSourceId(sourceId) === undefined;
  if (isOwnFree) return sourceId;
  const isFree = !settled.isTaken(publicId) && known.withSourceId(publicId) === undefined;
  return isFree ? publicId : null;
}

function identifyBare<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  sourceId: string,
  known: KnownEvents<K>,
): Identified<K> {
  const namesake = known.withSourceId(sourceId);
  const others = known.underPublicId(sourceId);
  if (namesake !== undefined) {
    const isOneOfSeveral = others.length > 0 || settled.hasBorneSource(ids);
    if (namesake.publicId !== null && isOneOfSeveral) return { outcome: "unclear" };
    return meet(settled, namesake, ids);
  }
  const [only, ...further] = others.filter((event) => !settled.isMet(event));
  if (settled.hasTakenSource(ids) || further.length > 0) return { outcome: "unclear" };
  if (only !== undefined) return meet(settled, only, ids);
  const renamed = meetFormer(settled, ids, sourceId, known);
  if (renamed !== null) return renamed;
  settled.settle(sourceId, null, ids);
  return { outcome: "new", sourceId };
}

/** The first event that the catalogue has under another id than the event's own. */
function meetFormer<K extends KnownEvent>(
  settled: SettledIds,
  ids: StoredIds,
  sourceId: string | null,
  known: KnownEvents<K>,
): Identified<K> | null {
  if (sourceId === null) return null;
  for (const id of ids.others ?? []) {
    const event = known.withSourceId(id) ?? known.withPublicId(id);
    if (event === undefined || settled.isMet(event)) continue;
    settled.settle(event.sourceId, event.publicId, ids);
    settled.settle(sourceId, ids.publicId, ids);
    return { outcome: "renamed", event, sourceId };
  }
  return null;
}

function meet<K extends KnownEvent>(settled: SettledIds, event: K, ids: StoredIds): Identified<K> {
  if (settled.isMet(event)) return { outcome: "unclear" };
  settled.settle(event.sourceId, event.publicId, ids);
  return { outcome: "known", event };
}
