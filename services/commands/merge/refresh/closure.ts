import type { ClientBase } from "pg";
import {
  eventsWithMembers,
  type FormerRow,
  formerRows,
} from "#projections/queries/merges/former-events.ts";
import type { MergeBase } from "#projections/queries/merges/merge-base.ts";
import {
  eventsById,
  eventsInWindows,
  type PlacedEvent,
} from "#projections/queries/merges/source-places.ts";
import type { DecidedGroup } from "#services/domain/merge/decisions/check-decisions.ts";
import { nearPlaces, type Place, TooManyNear } from "#services/domain/merge/refresh/near-places.ts";
import type { Thresholds } from "#services/domain/merge/thresholds.ts";
import type { MergeSource } from "../plan/merge-plan.ts";

/** An event of a source. */
export type SourceEventId = { readonly source: number; readonly id: string };

export type ClosureRules = {
  /** The widest thresholds of any pair. */
  readonly widest: Thresholds;
  /** The decisions in force. */
  readonly decisions: readonly DecidedGroup[];
  /** Most events of the closure: beyond that all are merged again. */
  readonly most: number;
};

/** Thrown for a closure of so many events that merging all again takes no longer. */
class TooLarge extends Error {}

export const isTooMuch = (error: unknown): boolean =>
  error instanceof TooLarge || error instanceof TooManyNear;

/** Pairs of events compared in a round. */
const MOST_COMPARED = 20_000_000;

/**
 * Events of sources with all that their groups depend on: whole components of the graph of candidates and decisions,
 * and all members of each former event that has one of them (infra/decisions/0047).
 */
export function createClosure(
  client: ClientBase,
  { base, sources }: { readonly base: MergeBase; readonly sources: readonly MergeSource[] },
  { widest, decisions, most }: ClosureRules,
) {
  /** The source of each event of the closure, by its id. */
  const inside = new Map<string, number>();
  /** Former members that are not there any more. */
  const gone = new Set<string>();
  /** The rows of former events by their ids, at the last refresh; null for those that were not there. */
  const former = new Map<string, FormerRow | null>();
  const placeOf = new Map(sources.map(({ id }, place) => [id, place]));
  const linked = linksOf(decisions);

  async function lookUp(wanted: readonly SourceEventId[]): Promise<Place[]> {
    const found: Place[] = [];
    for (const [source, events] of Map.groupBy(wanted, (event) => event.source)) {
      const version = sources[source];
      const ids = [...new Set(events.map(({ id }) => id))].filter((id) => !inside.has(id));
      if (version === undefined || ids.length === 0) continue;
      const there = await eventsById(client, version, ids);
      found.push(...take(there, source));
      for (const id of ids) if (!inside.has(id)) gone.add(id);
    }
    return found;
  }

  /** Those that are new in the closure. */
  function take(events: readonly PlacedEvent[], source: number): Place[] {
    const fresh: Place[] = [];
    for (const { id, ...place } of events) {
      if (inside.has(id)) continue;
      inside.set(id, source);
      unlinked.push(id);
      fresh.push({ ...place, source });
    }
    if (inside.size > most) throw new TooLarge();
    return fresh;
  }
  /** Events of the closure whose decisions and former events were not followed yet. */
  let unlinked: string[] = [];

  async function neighbours(places: readonly Place[]): Promise<Place[]> {
    const near = nearPlaces(places, widest, MOST_COMPARED);
    const fresh: Place[] = [];
    for (const [source, version] of sources.entries()) {
      const windows = near.windows(source);
      if (windows.length === 0) continue;
      const events = await eventsInWindows(client, version, windows);
      const isNear = (event: PlacedEvent) =>
        !inside.has(event.id) && near.isNear({ ...event, source });
      fresh.push(...take(events.filter(isNear), source));
    }
    return fresh;
  }

  /** What decisions call the same, and the members of former events, of some members. */
  async function linksFrom(ids: readonly string[]): Promise<SourceEventId[]> {
    const same = ids.flatMap((id) => linked.get(id) ?? []).flatMap(({ events }) => events);
    const members = await membersOfFormer(await eventsWithMembers(client, base, ids));
    return [...same, ...members].flatMap(({ catalogue_id, event_id: id }) => {
      const source = placeOf.get(catalogue_id);
      return source === undefined || inside.has(id) || gone.has(id) ? [] : [{ source, id }];
    });
  }

  /** Reads the former events that were not known. */
  async function membersOfFormer(ids: readonly string[]) {
    const unknown = ids.filter((id) => !former.has(id));
    if (unknown.length === 0) return [];
    for (const id of unknown) former.set(id, null);
    const version = { key: base.key, version: base.revision };
    for await (const rows of formerRows(client, version, unknown)) {
      for (const row of rows) if (row.isPresent) former.set(row.id, row);
    }
    return unknown.flatMap((id) => {
      const members = former.get(id)?.members ?? [];
      // An event that had the member once has others now.
      const isConcerned = members.some((one) => inside.has(one.event_id) || gone.has(one.event_id));
      if (!isConcerned && former.get(id)) former.delete(id);
      return isConcerned ? members : [];
    });
  }

  return {
    inside: inside as ReadonlyMap<string, number>,
    /** The former events whose members are in the closure, or are not there any more. */
    former: () => [...former.values()].filter((row) => row !== null),
    /**
     * Takes events in, with all that follows.
     * @param places where events were that are not there any more
     */
    async add(events: readonly SourceEventId[], places: readonly Place[] = []): Promise<void> {
      let frontier = [...places, ...(await lookUp(events))];
      unlinked.push(...events.map(({ id }) => id).filter((id) => gone.has(id)));
      while (frontier.length > 0 || unlinked.length > 0) {
        const near = await neighbours(frontier);
        const ids = unlinked;
        unlinked = [];
        const goneBefore = gone.size;
        frontier = [...near, ...(await lookUp(await linksFrom(ids)))];
        if (gone.size > goneBefore) unlinked.push(...[...gone].slice(goneBefore));
      }
    },
  };
}
export type Closure = ReturnType<typeof createClosure>;

/** The decisions `same` about each event. */
function linksOf(decisions: readonly DecidedGroup[]): Map<string, DecidedGroup[]> {
  const linked = new Map<string, DecidedGroup[]>();
  for (const decision of decisions) {
    if (decision.type === "different") continue;
    for (const { event_id: id } of decision.events) {
      const known = linked.get(id);
      if (known === undefined) linked.set(id, [decision]);
      else known.push(decision);
    }
  }
  return linked;
}
