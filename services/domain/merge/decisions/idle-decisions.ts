import type { DecidedGroup } from "./check-decisions.ts";
import { createDecisionClosure } from "./decision-closure.ts";
import { numberedEvents } from "./numbered-events.ts";

/**
 * Which decisions change nothing, by their index: those of fewer than two events that are there, and those that
 * contradict the ones before them.
 * @param decisions with the events that are there, by the ids that they have now
 */
export function idleDecisions(decisions: readonly DecidedGroup[]): boolean[] {
  const { numberOf, eventOf } = numberedEvents();
  const closure = createDecisionClosure((event) => eventOf(event).catalogue_id);
  return decisions.map(({ type, events }) => {
    if (events.length < 2) return true;
    return closure.add(type, events.map(numberOf)) !== null;
  });
}
