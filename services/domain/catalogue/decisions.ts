/** Decisions of a merge: what people say of events of its sources. */
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  DECISION_LIMITS,
  type MadeDecision,
  type MergeDecision,
} from "#contracts/merge/merge-decision.ts";
import { existing } from "./decide.ts";
import type { CatalogueState, ExistingCatalogue } from "./state.ts";

export type Merged = ExistingCatalogue & { readonly sources: readonly string[] };

/** @throws Refusal NOT_FOUND for a catalogue that is no merge */
export function merged(state: CatalogueState): Merged {
  const catalogue = existing(state);
  const { sources } = catalogue;
  if (sources === null) throw new Refusal("NOT_FOUND", "This catalogue is not a merged one");
  return { ...catalogue, sources };
}

export type DecisionChange = {
  readonly withdrawn: readonly string[];
  readonly made: readonly MadeDecision[];
};

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
export function replaceDecisions<Present extends MadeDecision>(
  present: readonly Present[],
  wanted: readonly MergeDecision[],
  newId: (index: number) => string,
): DecisionChange {
  const bySaying = new Map<string, Present[]>();
  for (const decision of present) {
    const saying = sayingOf(decision);
    const same = bySaying.get(saying);
    if (same === undefined) bySaying.set(saying, [decision]);
    else same.push(decision);
  }
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
  { withdrawn, made }: DecisionChange,
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
