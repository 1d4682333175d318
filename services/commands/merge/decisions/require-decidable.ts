import type { CommonQueryMethods } from "slonik";
import { invalid } from "#contracts/errors.ts";
import type { DecidedEvent, MadeDecision, MergeDecision } from "#contracts/merge/merge-decision.ts";
import { firstUnknown } from "#projections/read/merges/decisions.ts";
import { sourceKeys } from "#projections/read/merges/sources.ts";
import type { Reader } from "#projections/read/rights.ts";
import { checkDecisions, contradictionText } from "#services/domain/merges/decisions.ts";

/** Ids of the sources of a merge, and whose they are: others do not exist. */
export type SourcesOf = { readonly sources: readonly string[]; readonly reader: Reader };

/**
 * Whether decisions are about events that sources of the merge have or had, and agree with each other.
 * @param made those that are looked up
 * @param holding all that hold then
 * @throws Refusal VALIDATION_ERROR that names the pair of events, or the event
 */
export async function requireDecidable(
  statements: Pick<CommonQueryMethods, "any">,
  { sources, reader }: SourcesOf,
  made: readonly MergeDecision[],
  holding: readonly MergeDecision[],
): Promise<void> {
  const contradiction = checkDecisions(holding);
  if (contradiction !== null) {
    throw invalid(
      "decisions",
      contradictionText(contradiction, (index) => nameOf(holding, index)),
    );
  }
  if (made.length === 0) return;
  const keys = await sourceKeys(statements, sources, reader);
  for (const [catalogueId, events] of Map.groupBy(
    made.flatMap(({ events }) => events),
    ({ catalogue_id }) => catalogue_id,
  )) {
    const key = keys.get(catalogueId);
    const [first] = events;
    const ids = events.map(({ event_id }) => event_id);
    const unknown =
      key === undefined ? first?.event_id : await firstUnknown(statements, { key }, ids);
    if (unknown) throw unknownEvent(made, { catalogue_id: catalogueId, event_id: unknown });
  }
}

/** By its place in the request, or by its id where it held before. */
function nameOf(holding: readonly (MergeDecision | MadeDecision)[], index: number): string {
  const decision = holding[index];
  return decision && "id" in decision ? `the decision ${decision.id}` : `decisions[${index}]`;
}

function unknownEvent(made: readonly MergeDecision[], event: DecidedEvent) {
  const isIt = (one: DecidedEvent) =>
    one.catalogue_id === event.catalogue_id && one.event_id === event.event_id;
  const others = made.find(({ events }) => events.some(isIt))?.events.filter((one) => !isIt(one));
  const pair = [event, ...(others ?? []).slice(0, 1)]
    .map(({ catalogue_id, event_id }) => `${event_id} of ${catalogue_id}`)
    .join(" and ");
  return invalid("decisions", `of ${pair}, the first is an event of no source`);
}
