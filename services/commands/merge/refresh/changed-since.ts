import { isDeepStrictEqual } from "node:util";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import type { DecidedEvent } from "#contracts/merge/merge-decision.ts";
import { changedEvents, countChanges, touchedEvents } from "#projections/read/merges/refresh.ts";
import type { DecidedGroup } from "#services/domain/merges/decisions.ts";
import type { Place } from "#services/domain/merges/refresh.ts";
import type { OpenRefresh } from "./open-refresh.ts";
import type { SourceEventId } from "./taken-events.ts";

/** What has changed of a merge since its last refresh. */
export type ChangedSince = {
  readonly events: readonly SourceEventId[];
  /** Where events were. */
  readonly places: readonly Place[];
  /** Events of decisions that were made or withdrawn, or are tried. */
  readonly touched: readonly string[];
  /** Events of the merged catalogue that were changed by hand. */
  readonly byHand: readonly string[];
};

/** Whether the same settings make groups and events. */
export function isSameMerge(before: MergeConfig, now: MergeConfig): boolean {
  const { follow: _, ...one } = before;
  const { follow: __, ...other } = now;
  return isDeepStrictEqual(one, other);
}

/** Null where there are more than `most` changes. */
export async function changedSince(
  { client, base, sources }: OpenRefresh,
  { tried }: Pick<Decided, "tried">,
  most: number,
): Promise<ChangedSince | null> {
  const mergedBefore = base.sources.map(({ version }) => version);
  let count = await countChanges(client, base, base.revision);
  for (const [place, source] of sources.entries()) {
    count += await countChanges(client, source, mergedBefore[place] ?? 0);
  }
  if (count > most) return null;
  const events: SourceEventId[] = [];
  const places: Place[] = [];
  for (const [source, version] of sources.entries()) {
    for (const { id, isPresent, ...place } of await changedEvents(
      client,
      version,
      mergedBefore[source] ?? 0,
    )) {
      events.push({ source, id });
      if (!isPresent) places.push({ ...place, source });
    }
  }
  const byHand = await changedEvents(client, base, base.revision);
  const touched = [...(await touchedEvents(client, base.id)), ...triedEvents(tried)];
  if (touched.length > most) return null;
  return { events, places, touched, byHand: [...new Set(byHand.map(({ id }) => id))] };
}

function triedEvents(tried: Decided["tried"]): string[] {
  return tried.flatMap(({ events }) => events.map(({ event_id: id }) => id));
}

export type Decided = {
  /** As people made them. */
  readonly made: readonly { readonly events: readonly DecidedEvent[] }[];
  /** The same, about the events that theirs are now. */
  readonly present: readonly (DecidedGroup & { readonly isIdle: boolean })[];
  /** Those that are tried alone. */
  readonly tried: readonly DecidedGroup[];
};

/**
 * The events that decisions are about which may say something else than at the last refresh: because they were made
 * or withdrawn since, name an event that changed, or are not about the events that they name.
 * @param touched events of decisions that were made or withdrawn since
 */
export function decidedAnew(
  { sources }: OpenRefresh,
  { made, present }: Decided,
  touched: readonly string[],
  changed: readonly SourceEventId[],
): SourceEventId[] {
  const placeOf = new Map(sources.map(({ id }, place) => [id, place]));
  const concerned = new Set([...changed.map(({ id }) => id), ...touched]);
  const anew = made.flatMap(({ events }, index) => {
    const now = present[index]?.events ?? [];
    const isAsMade = !present[index]?.isIdle && isDeepStrictEqual(events, now);
    const isConcerned = [...events, ...now].some(({ event_id: id }) => concerned.has(id));
    return isConcerned || !isAsMade ? [...events, ...now] : [];
  });
  const withdrawn = sources.flatMap((_, source) => touched.map((id) => ({ source, id })));
  return [
    ...anew.flatMap(({ catalogue_id, event_id: id }) => {
      const source = placeOf.get(catalogue_id);
      return source === undefined ? [] : [{ source, id }];
    }),
    ...withdrawn,
  ];
}
