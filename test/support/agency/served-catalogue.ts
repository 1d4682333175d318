import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import type { FdsnQuery } from "./fdsn-query.ts";

/** An event of the test agency: canonical names, `source_id` is the bare public id. */
export type ServedEvent = {
  readonly row: JsonObject;
  /** Its own `<event>` element, where it is not to be written from the row. */
  readonly xml?: string;
  /** When the agency last changed it, in milliseconds since 1970; its origin time where absent. */
  readonly updatedMs?: number;
  /** All its ids, the preferred one among them, as ComCat lists them. */
  readonly ids?: readonly string[];
  /** Picks and arrivals of its own; else those of the agency. */
  readonly picks?: number;
};

/** What an agency has, and may change between two requests. */
export type ServedCatalogue = {
  /** The events that a query describes, in no order that means anything. */
  readonly select: (query: FdsnQuery) => ServedEvent[];
  readonly add: (...events: readonly ServedEvent[]) => void;
  /** Replaces the event of an id, or takes it away. */
  readonly replace: (sourceId: string, event: ServedEvent | null) => void;
  /** All events, in order of time. */
  readonly events: () => readonly ServedEvent[];
};

type Entry = { readonly micros: number; readonly event: ServedEvent };

export function createServedCatalogue(given: Iterable<ServedEvent>): ServedCatalogue {
  let entries = sorted(Array.from(given, entryOf));

  return {
    select(query) {
      const found: ServedEvent[] = [];
      for (let i = firstFrom(entries, query.startMicros); i < entries.length; i++) {
        const entry = entries[i];
        if (entry === undefined || entry.micros > query.endMicros) break;
        if (query.matches(entry.event.row) && updatedOf(entry) >= query.updatedAfterMs) {
          found.push(entry.event);
        }
      }
      return shuffled(found);
    },
    add(...events) {
      entries = sorted([...entries, ...events.map(entryOf)]);
    },
    replace(sourceId, event) {
      const others = entries.filter(({ event: { row } }) => row["source_id"] !== sourceId);
      entries = event === null ? others : sorted([...others, entryOf(event)]);
    },
    events: () => entries.map(({ event }) => event),
  };
}

/** Microseconds of years up to 2255 are exact numbers. */
function entryOf(event: ServedEvent): Entry {
  return { micros: Number(timeToMicros(String(event.row["time"]))), event };
}

function updatedOf({ micros, event }: Entry): number {
  return event.updatedMs ?? micros / 1_000;
}

function sorted(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => a.micros - b.micros);
}

function firstFrom(entries: readonly Entry[], micros: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.micros ?? 0) < micros) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** GeoNet answers unordered; here the same each time, by a permutation of the places. */
function shuffled(events: readonly ServedEvent[]): ServedEvent[] {
  const count = events.length;
  const step = [7919, 104_729, 1_299_709].find((prime) => count % prime !== 0) ?? 1;
  return events.map((_, i) => events[(i * step + 17) % count] as ServedEvent);
}
