import { bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** An event that a catalogue has; `id` is ours. */
export type KnownEvent = EventIds & { readonly id: string };

/** Events of a catalogue by their ids. */
export type KnownEvents<K extends KnownEvent> = {
  readonly withSourceId: (sourceId: string) => K | undefined;
  readonly withPublicId: (publicId: string) => K | undefined;
  /** Events whose `source_id` is a public id, by the bare id in it. */
  readonly underPublicId: (bareId: string) => readonly K[];
};

export function knownEvents<K extends KnownEvent>(events: Iterable<K>): KnownEvents<K> {
  const bySourceId = new Map<string, K>();
  const byPublicId = new Map<string, K>();
  const byBareId = new Map<string, K[]>();
  for (const event of events) {
    const { sourceId, publicId } = event;
    if (sourceId !== null) bySourceId.set(sourceId, event);
    if (publicId === null) continue;
    byPublicId.set(publicId, first(byPublicId.get(publicId), event));
    if (sourceId !== publicId) continue;
    const bareId = bareIdOf(event) ?? publicId;
    byBareId.set(bareId, [...(byBareId.get(bareId) ?? []), event]);
  }
  return {
    withSourceId: (sourceId) => bySourceId.get(sourceId),
    withPublicId: (publicId) => byPublicId.get(publicId),
    underPublicId: (bareId) => byBareId.get(bareId) ?? [],
  };
}

export const NOTHING_KNOWN: KnownEvents<never> = knownEvents([]);

/**
 * Chooses between two events with one public id, which older versions of this service accepted:
 * always the same one, in any order, and preferably one with a `source_id`.
 */
function first<K extends KnownEvent>(one: K | undefined, other: K): K {
  if (one === undefined) return other;
  if ((one.sourceId === null) !== (other.sourceId === null)) {
    return one.sourceId === null ? other : one;
  }
  return one.id < other.id ? one : other;
}

/** The given data of an event that its agency calls otherwise from now on. @param publicId null for none */
export function takeIdentity(
  data: SeismicEventRecord,
  { sourceId, publicId }: EventIds,
): SeismicEventRecord {
  const { public_id: _, ...others } = data.extra ?? {};
  const extra = publicId === null ? others : { ...others, public_id: publicId };
  return { ...data, source_id: sourceId, extra: Object.keys(extra).length === 0 ? null : extra };
}

/**
 * The given data of an event that the catalogue has, with its ids there: its `source_id` stays, and
 * so does its public id if none is given.
 */
export function keepIdentity(
  data: SeismicEventRecord,
  { sourceId, publicId }: EventIds,
): SeismicEventRecord {
  const present = idsOf(data).publicId ?? publicId;
  const record = data.source_id === sourceId ? data : { ...data, source_id: sourceId };
  if (idsOf(record).publicId === present) return record;
  return { ...record, extra: { ...record.extra, public_id: present } };
}
