import type { ClientBase } from "pg";
import type { DecidedEvent } from "#contracts/merges/decisions.ts";
import {
  eventsById,
  eventsInWindows,
  eventsWithMembers,
  type FormerMember,
  type FormerRow,
  formerRows,
  type MergeBase,
  type PlacedEvent,
} from "#projections/read/merges/refresh.ts";
import type { PlainDecision } from "#services/domain/merges/decisions.ts";
import type { Thresholds } from "#services/domain/merges/grouping/thresholds.ts";
import { nearPlaces, type Place, TooManyNear } from "#services/domain/merges/refresh.ts";
import type { MergeSource } from "./plan.ts";

export type ClosureRules = {
  /** The widest thresholds of any pair. */
  readonly widest: Thresholds;
  /** The decisions in force. */
  readonly decisions: readonly PlainDecision[];
  /** Most events of the closure: beyond that all are merged again. */
  readonly most: number;
};

/** An event of a source. */
export type SourceEventId = { readonly source: number; readonly id: string };

/** Events of catalogues as those of a merge's sources; without those of others. */
export function eventsIn(sources: readonly MergeSource[]) {
  const placeOf = new Map(sources.map(({ id }, place) => [id, place]));
  return (events: readonly DecidedEvent[]): SourceEventId[] =>
    events.flatMap(({ catalogue_id, event_id: id }) => {
      const source = placeOf.get(catalogue_id);
      return source === undefined ? [] : [{ source, id }];
    });
}

/** Pairs of events compared in a round. */
const MOST_COMPARED = 20_000_000;

export type Closure = ReturnType<typeof createClosure>;

/**
 * Events of sources with all that their groups depend on: whole components of the graph of candidates and decisions,
 * and all members of each former event that has one of them (infra/decisions/0047).
 */
export function createClosure(
  client: ClientBase,
  { base, sources }: { readonly base: MergeBase; readonly sources: readonly MergeSource[] },
  { widest, decisions, most }: ClosureRules,
) {
  const taken = createTakenEvents(client, sources, most);
  const former = createFormerOfClosure(client, base);
  const inSources = eventsIn(sources);
  const linked = linksOf(decisions);

  async function neighbours(places: readonly Place[]): Promise<Place[]> {
    const near = nearPlaces(places, widest, MOST_COMPARED);
    const fresh: Place[] = [];
    for (const [source, version] of sources.entries()) {
      const windows = near.windows(source);
      if (windows.length === 0) continue;
      const events = await eventsInWindows(client, version, windows);
      const others = events.filter(({ id }) => !taken.inside.has(id));
      const isNear = (event: (typeof others)[number]) => near.isNear({ ...event, source });
      fresh.push(...taken.take(others.filter(isNear), source));
    }
    return fresh;
  }

  /** What decisions call the same, and the members of former events, of some members. */
  async function linksFrom(ids: readonly string[]): Promise<SourceEventId[]> {
    const same = ids.flatMap((id) => linked.get(id) ?? []).flatMap(({ events }) => events);
    const members = await former.membersWith(ids, taken.isKnown);
    return inSources([...same, ...members]).filter(({ id }) => !taken.isKnown(id));
  }

  return {
    /** The source of each event of the closure, by its id. */
    inside: taken.inside,
    /** The former events whose members are in the closure, or are not there any more. */
    former: former.all,
    /**
     * Takes events in, with all that follows.
     * @param places where events were that are not there any more
     * @throws an error of which `isTooMuch` holds
     */
    async add(events: readonly SourceEventId[], places: readonly Place[] = []): Promise<void> {
      let frontier = [...places, ...(await taken.lookUp(events))];
      let unlinked = taken.drainFresh();
      while (frontier.length > 0 || unlinked.length > 0) {
        const near = await neighbours(frontier);
        unlinked.push(...taken.drainFresh());
        frontier = [...near, ...(await taken.lookUp(await linksFrom(unlinked)))];
        unlinked = taken.drainFresh();
      }
    },
  };
}

/** The decisions `same` about each event. */
function linksOf(decisions: readonly PlainDecision[]): Map<string, PlainDecision[]> {
  const linked = new Map<string, PlainDecision[]>();
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

/** The former events whose members are in a closure, as the last refresh left them. */
function createFormerOfClosure(client: ClientBase, { key, revision }: MergeBase) {
  /** Rows by their ids; null for those that were not there. */
  const rows = new Map<string, FormerRow | null>();

  async function read(ids: readonly string[]): Promise<void> {
    for (const id of ids) rows.set(id, null);
    for await (const some of formerRows(client, { key, version: revision }, ids)) {
      for (const row of some) if (row.isPresent) rows.set(row.id, row);
    }
  }

  return {
    all: (): FormerRow[] => [...rows.values()].filter((row) => row !== null),
    /**
     * All members of the former events that have one of some members, of those that were not known yet.
     * @param isInside whether a member is in the closure, or gone
     */
    async membersWith(
      members: readonly string[],
      isInside: (id: string) => boolean,
    ): Promise<readonly FormerMember[]> {
      const ids = await eventsWithMembers(client, { key }, members);
      const unknown = ids.filter((id) => !rows.has(id));
      if (unknown.length === 0) return [];
      await read(unknown);
      return unknown.flatMap((id) => {
        const all = rows.get(id)?.members ?? [];
        if (all.some(({ event_id: member }) => isInside(member))) return all;
        // An event that had the member once has others now.
        if (rows.get(id)) rows.delete(id);
        return [];
      });
    },
  };
}

/** Thrown for a closure of so many events that merging all again takes no longer. */
class TooLarge extends Error {}

export const isTooMuch = (error: unknown): boolean =>
  error instanceof TooLarge || error instanceof TooManyNear;

/**
 * The events that were taken into a closure.
 * @param most of them
 */
function createTakenEvents(client: ClientBase, sources: readonly MergeSource[], most: number) {
  /** The source of each, by its id. */
  const inside = new Map<string, number>();
  /** Those that are not there any more. */
  const gone = new Set<string>();
  /** Those that were taken since they were asked for, and those that were found gone. */
  let fresh: string[] = [];

  /** @returns those that are new. @throws TooLarge */
  function take(events: readonly PlacedEvent[], source: number): Place[] {
    const places: Place[] = [];
    for (const { id, ...place } of events) {
      if (inside.has(id)) continue;
      inside.set(id, source);
      fresh.push(id);
      places.push({ ...place, source });
    }
    if (inside.size > most) throw new TooLarge();
    return places;
  }

  return {
    inside: inside as ReadonlyMap<string, number>,
    isKnown: (id: string) => inside.has(id) || gone.has(id),
    take,
    /** Takes the events that are there. @returns those that are new. @throws TooLarge */
    async lookUp(wanted: readonly SourceEventId[]): Promise<Place[]> {
      const places: Place[] = [];
      for (const [source, events] of Map.groupBy(wanted, (event) => event.source)) {
        const version = sources[source];
        const ids = [...new Set(events.map(({ id }) => id))].filter((id) => !inside.has(id));
        if (version === undefined || ids.length === 0) continue;
        places.push(...take(await eventsById(client, version, ids), source));
        for (const id of ids) {
          if (inside.has(id) || gone.has(id)) continue;
          gone.add(id);
          fresh.push(id);
        }
      }
      return places;
    },
    /** The ids that are new since the last time. */
    drainFresh(): string[] {
      const ids = fresh;
      fresh = [];
      return ids;
    },
  };
}
