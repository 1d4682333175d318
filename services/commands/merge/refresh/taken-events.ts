import type { ClientBase } from "pg";
import { eventsById, type PlacedEvent } from "#projections/read/merges/refresh.ts";
import type { Place } from "#services/domain/merges/refresh.ts";
import type { MergeSource } from "../plan/merge-plan.ts";

/** An event of a source. */
export type SourceEventId = { readonly source: number; readonly id: string };

/** Thrown for a closure of so many events that merging all again takes no longer. */
export class TooLarge extends Error {}

/**
 * The events that were taken into a closure.
 * @param most of them
 */
export function createTakenEvents(
  client: ClientBase,
  sources: readonly MergeSource[],
  most: number,
) {
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
