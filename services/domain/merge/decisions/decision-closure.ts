import type { MergeDecision } from "#contracts/merge/merge-decision.ts";

/** Two events that cannot be as the decisions say. */
export type Conflict = {
  /** `source`: one group would have two events of one source. */
  readonly because: "different" | "source";
  readonly first: number;
  readonly second: number;
};

/** What is said of a group of events: by which event it says so. */
type Group = {
  readonly events: number[];
  readonly sources: Map<string | number, number>;
  /** Decisions that keep an event of the group apart from others. */
  readonly apart: Map<number, number>;
};

/**
 * Decisions and what follows from them by way of others: events that are the same as a third are the same.
 * Takes one after the other, each whole or not at all. O(n log n) for n events named; a group has at most as many
 * events as there are sources.
 * @param sourceOf the source of an event, of any kind
 */
export function createDecisionClosure(sourceOf: (event: number) => string | number) {
  const groups = new Map<number, Group>();
  let decisions = 0;

  function groupOf(event: number): Group {
    const known = groups.get(event);
    if (known !== undefined) return known;
    const group = {
      events: [event],
      sources: new Map([[sourceOf(event), event]]),
      apart: new Map(),
    };
    groups.set(event, group);
    return group;
  }

  function addSame(events: readonly number[]): Conflict | null {
    const [largest, ...others] = [...new Set(events.map(groupOf))].sort(
      (a, b) => sizeOf(b) - sizeOf(a),
    );
    if (largest === undefined) return null;
    const sources = new Map<string | number, number>();
    const apart = new Map<number, number>();
    for (const other of others) {
      const conflict =
        taken("source", other.sources, largest.sources, sources) ??
        taken("different", other.apart, largest.apart, apart);
      if (conflict !== null) return conflict;
    }
    for (const [source, event] of sources) largest.sources.set(source, event);
    for (const [decision, event] of apart) largest.apart.set(decision, event);
    for (const event of others.flatMap((other) => other.events)) {
      largest.events.push(event);
      groups.set(event, largest);
    }
    return null;
  }

  function addDifferent(events: readonly number[]): Conflict | null {
    const seen = new Map<Group, number>();
    for (const event of events) {
      const first = seen.get(groupOf(event));
      if (first !== undefined) return { because: "different", first, second: event };
      seen.set(groupOf(event), event);
    }
    decisions += 1;
    for (const [group, event] of seen) group.apart.set(decisions, event);
    return null;
  }

  return {
    /**
     * Adds a decision; null if it was added, else what is against it.
     * @param events at least two; naming one twice contradicts `different`
     */
    add: (type: MergeDecision["type"], events: readonly number[]): Conflict | null =>
      type === "same" ? addSame(events) : addDifferent(events),
  };
}

function sizeOf({ events, apart }: Group): number {
  return events.length + apart.size;
}

/** Adds `own` to `added`, unless one of its keys is in `largest` or `added` already. */
function taken<K>(
  because: Conflict["because"],
  own: ReadonlyMap<K, number>,
  largest: ReadonlyMap<K, number>,
  added: Map<K, number>,
): Conflict | null {
  for (const [key, second] of own) {
    const first = largest.get(key) ?? added.get(key);
    if (first !== undefined) return { because, first, second };
    added.set(key, second);
  }
  return null;
}
