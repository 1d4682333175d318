import type { CommonQueryMethods } from "slonik";
import type { ShownDecision } from "#contracts/merge/merge-decision.ts";
import { type DecisionRow, readDecisions } from "#projections/queries/merges/decision-queries.ts";
import { presentEvents } from "#projections/queries/merges/present-events.ts";
import type { MergeRow } from "#projections/queries/merges/read-merge.ts";
import { idleDecisions } from "#services/domain/merge/decisions/idle-decisions.ts";

/**
 * The decisions of a merge as its reader may see them: nothing is told of events of hidden sources, not even whether
 * they are there.
 */
export async function shownDecisions(
  statements: Pick<CommonQueryMethods, "any">,
  merge: Pick<MergeRow, "id" | "latest" | "hidden">,
): Promise<ShownDecision[]> {
  const decisions = await readDecisions(statements, merge.id);
  const present = await presentEvents(statements, merge.latest, decisions);
  const idle = idleDecisions(
    decisions.map(({ type }, index) => ({ type, events: present[index] ?? [] })),
  );
  return decisions.map((decision, index) => shown(decision, idle[index] ?? false, merge.hidden));
}

function shown(decision: DecisionRow, idle: boolean, hidden: MergeRow["hidden"]): ShownDecision {
  const isHidden = (catalogueId: string) => hidden?.includes(catalogueId) ?? false;
  const isAboutHidden = decision.events.some(({ catalogue_id: id }) => isHidden(id));
  const events = decision.events.map((event) =>
    isHidden(event.catalogue_id) ? { catalogue_id: null, event_id: null } : event,
  );
  return { ...decision, events, idle: idle && !isAboutHidden };
}
