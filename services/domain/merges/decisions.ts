/** Decisions of a merge: what people say of events of its sources. */

import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import {
  DECISION_LIMITS,
  type DecidedEvent,
  type MadeDecision,
  type MergeDecision,
} from "#contracts/merges/decisions.ts";
import { type CatalogueState, type ExistingCatalogue, existing } from "../catalogues/catalogue.ts";

export type Merged = ExistingCatalogue & { readonly sources: readonly string[] };

/** @throws Refusal NOT_FOUND for a catalogue that is no merge */
export function merged(state: CatalogueState): Merged {
  const catalogue = existing(state);
  const { sources } = catalogue;
  if (sources === null) throw new Refusal("NOT_FOUND", "This catalogue is not a merged one");
  return { ...catalogue, sources };
}

/** @throws Refusal VALIDATION_ERROR */
export function requireFew(decisions: number): void {
  if (decisions <= DECISION_LIMITS.most) return;
  throw new Refusal("VALIDATION_ERROR", `A merge has ${DECISION_LIMITS.most} decisions at most`);
}

/** Whether two decisions say the same, in whatever order they name the events. */
export function sayingOf({ type, events, note }: MergeDecision): string {
  const named = events.map(({ catalogue_id, event_id }) => `${catalogue_id}/${event_id}`);
  return JSON.stringify([type, named.sort(), note ?? null]);
}

/**
 * What makes the decisions that hold those that are wanted. What is said already stays as it is, with its id.
 * @param newId of the wanted decision of an index
 */
export function replaceDecisions(
  present: readonly MadeDecision[],
  wanted: readonly MergeDecision[],
  newId: (index: number) => string,
) {
  const bySaying = Map.groupBy(present, sayingOf);
  const made = wanted.flatMap((decision, index) => {
    const kept = bySaying.get(sayingOf(decision))?.shift();
    return kept === undefined ? [{ id: newId(index), ...decision }] : [];
  });
  const withdrawn = [...bySaying.values()].flatMap((left) => left.map(({ id }) => id));
  return { withdrawn, made };
}

/** Ids of withdrawn decisions in one event. */
const MAX_WITHDRAWN = 2_000;
/** Decisions in one event, and their characters. */
const MAX_MADE = 500;
const MAX_CHARACTERS = 60_000;

/** The events of a change: withdrawn first, so that what holds never contradicts itself. */
export function* decisionEvents(
  catalogueId: string,
  { withdrawn, made }: ReturnType<typeof replaceDecisions>,
): Generator<CatalogueEvent> {
  for (const ids of slices(withdrawn, MAX_WITHDRAWN, () => 0)) {
    yield { type: "MergeDecisionsWithdrawn", data: { catalogueId, ids } };
  }
  for (const decisions of slices(made, MAX_MADE, (one) => JSON.stringify(one).length)) {
    yield { type: "MergeDecisionsMade", data: { catalogueId, decisions } };
  }
}

function* slices<T>(all: readonly T[], most: number, sizeOf: (one: T) => number): Generator<T[]> {
  let part: T[] = [];
  let size = 0;
  for (const one of all) {
    const more = sizeOf(one);
    if (part.length === most || (part.length > 0 && size + more > MAX_CHARACTERS)) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(one);
    size += more;
  }
  if (part.length > 0) yield part;
}

/** What was decided, about at least two events. */
export type PlainDecision = Pick<MergeDecision, "type" | "events">;

/** Two events that decisions make one, by way of others too, which cannot be one. */
export type Contradiction = {
  /** A decision keeps them apart, or both are of one source. */
  readonly because: Conflict["because"];
  readonly pair: readonly [DecidedEvent, DecidedEvent];
  /** Indexes of the decisions that make them one, each with an event of the one before it. */
  readonly same: readonly number[];
  /** Index of the decision that keeps them apart; null for two of one source. */
  readonly different: number | null;
};

/** The first contradiction among decisions, in their order; null where there is none. */
export function checkDecisions(decisions: readonly PlainDecision[]): Contradiction | null {
  const { numberOf, eventOf } = numberedEvents();
  const closure = createDecisionClosure((event) => eventOf(event).catalogue_id);
  const numbered = decisions.map(({ events }) => events.map(numberOf));
  for (const [index, { type }] of decisions.entries()) {
    const conflict = closure.add(type, numbered[index] ?? []);
    if (conflict === null) continue;
    const { because, first, second } = conflict;
    const so = { decisions: decisions.slice(0, index + 1), numbered, first, second };
    return {
      because,
      pair: [eventOf(first), eventOf(second)],
      same: wayBetween(so),
      different:
        because === "source"
          ? null
          : decisions.findIndex((decision, i) => {
              const events = numbered[i] ?? [];
              const isOfBoth = events.includes(first) && events.includes(second);
              return decision.type === "different" && isOfBoth;
            }),
    };
  }
  return null;
}

/** Most decisions that a text names. */
const MAX_NAMED = 10;

/** @param nameOf the decision of an index */
export function contradictionText(
  { pair: [first, second], same, different }: Contradiction,
  nameOf: (index: number) => string,
): string {
  const names = same.slice(0, MAX_NAMED).map(nameOf).join(", ");
  const more = same.length > MAX_NAMED ? ` and ${same.length - MAX_NAMED} more` : "";
  const events = `${nameOfEvent(first)} and ${nameOfEvent(second)} would be one event by ${names}${more}`;
  return different === null
    ? `${events}, but both are of one source`
    : `${events}, but ${nameOf(different)} keeps them apart`;
}

function nameOfEvent({ catalogue_id, event_id }: DecidedEvent): string {
  return `event ${event_id} of catalogue ${catalogue_id}`;
}

type Pair = {
  readonly decisions: readonly PlainDecision[];
  /** The numbers of each decision's events. */
  readonly numbered: readonly (readonly number[])[];
  readonly first: number;
  readonly second: number;
};

/** A shortest way from one event to the other by decisions that call events the same. */
function wayBetween({ decisions, numbered, first, second }: Pair): number[] {
  const named = decisions.flatMap(({ type }, decision) =>
    type === "different" ? [] : (numbered[decision] ?? []).map((event) => ({ event, decision })),
  );
  const naming = Map.groupBy(named, ({ event }) => event);
  const cameBy = new Map<number, { readonly decision: number; readonly from: number }>();
  const reached = new Set([first]);
  const used = new Set<number>();
  for (const from of reached) {
    for (const { decision } of naming.get(from) ?? []) {
      if (used.has(decision)) continue;
      used.add(decision);
      for (const event of numbered[decision] ?? []) {
        if (!reached.has(event)) cameBy.set(event, { decision, from });
        reached.add(event);
      }
    }
  }
  const way: number[] = [];
  for (let step = cameBy.get(second); step !== undefined; step = cameBy.get(step.from)) {
    way.unshift(step.decision);
  }
  return way;
}

/**
 * Which decisions change nothing, by their index: those of fewer than two events that are there, and those that
 * contradict the ones before them.
 * @param decisions with the events that are there, by the ids that they have now
 */
export function idleDecisions(decisions: readonly PlainDecision[]): boolean[] {
  const { numberOf, eventOf } = numberedEvents();
  const closure = createDecisionClosure((event) => eventOf(event).catalogue_id);
  return decisions.map(({ type, events }) => {
    if (events.length < 2) return true;
    return closure.add(type, events.map(numberOf)) !== null;
  });
}

/** Two events that cannot be as the decisions say. */
type Conflict = {
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
function createDecisionClosure(sourceOf: (event: number) => string | number) {
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

/** Numbers of events from 0 on, the same for the same event. */
function numberedEvents() {
  const numbers = new Map<string, number>();
  const events: DecidedEvent[] = [];
  return {
    numberOf(event: DecidedEvent): number {
      const key = `${event.catalogue_id} ${event.event_id}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, events.length);
      return events.push(event) - 1;
    },
    eventOf(number: number): DecidedEvent {
      const event = events[number];
      if (event === undefined) throw new RangeError(`no event ${number}`);
      return event;
    },
  };
}
