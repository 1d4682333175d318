import type { DecidedEvent, MergeDecision } from "#contracts/merge/merge-decision.ts";
import { type Conflict, createDecisionClosure } from "./decision-closure.ts";
import { numberedEvents } from "./numbered-events.ts";

/** What was decided, about at least two events. */
export type DecidedGroup = Pick<MergeDecision, "type" | "events">;

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
export function checkDecisions(decisions: readonly DecidedGroup[]): Contradiction | null {
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
      different: because === "source" ? null : decisionApart(so),
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
  readonly decisions: readonly DecidedGroup[];
  /** The numbers of each decision's events. */
  readonly numbered: readonly (readonly number[])[];
  readonly first: number;
  readonly second: number;
};

/** A shortest way from one event to the other by decisions that call events the same. */
function wayBetween({ decisions, numbered, first, second }: Pair): number[] {
  const naming = new Map<number, number[]>();
  decisions.forEach(({ type }, index) => {
    if (type === "different") return;
    for (const event of numbered[index] ?? []) {
      const others = naming.get(event);
      if (others === undefined) naming.set(event, [index]);
      else others.push(index);
    }
  });
  const cameBy = new Map<number, { readonly decision: number; readonly from: number }>();
  const reached = new Set([first]);
  const used = new Set<number>();
  for (const from of reached) {
    for (const decision of naming.get(from) ?? []) {
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

function decisionApart({ decisions, numbered, first, second }: Pair): number {
  return decisions.findIndex(({ type }, index) => {
    const events = numbered[index] ?? [];
    return type === "different" && events.includes(first) && events.includes(second);
  });
}
