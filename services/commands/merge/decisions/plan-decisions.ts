import type { CommonQueryMethods } from "slonik";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { MadeDecision, MergeDecision } from "#contracts/merge/merge-decision.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import { type DecisionRow, readDecisions } from "#projections/read/merges/decisions.ts";
import type { Reader } from "#projections/read/rights.ts";
import {
  decisionEvents,
  replaceDecisions,
  requireFew,
  sayingOf,
} from "#services/domain/merges/decisions.ts";
import { requireDecidable } from "./require-decidable.ts";

export type OfMerge = {
  readonly catalogueId: string;
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
  /** Ids of the sources that are hidden from him; null for none. */
  readonly hidden: readonly string[] | null;
};

/** What a change of decisions is of. */
export type DecisionsOf = OfMerge & {
  /** Ids of the merge's sources. */
  readonly sources: readonly string[];
  readonly commandId: string;
};

type Reads = Pick<CommonQueryMethods, "any">;

/**
 * The events that make the decisions of a merge those that are wanted. Those about events of hidden sources stay: who
 * asks cannot name them.
 * @throws Refusal VALIDATION_ERROR
 */
export async function* replacing(
  statements: Reads,
  of: DecisionsOf,
  wanted: readonly MergeDecision[],
): AsyncGenerator<CatalogueEvent> {
  const present = await readDecisions(statements, of.catalogueId);
  const shown = present.filter((decision) => !names(decision, of.hidden));
  const others = present.filter((decision) => names(decision, of.hidden));
  const change = replaceDecisions(shown.map(spoken), wanted, (index) =>
    deriveEventId(of.commandId, "decision", index),
  );
  await requireSound(statements, of, change.made, [...wanted, ...others.map(spoken)]);
  yield* decisionEvents(of.catalogueId, change);
}

export type AddedDecision = { readonly id: string; readonly events: readonly CatalogueEvent[] };

/**
 * The events that add a decision; none where one says the same already, of which `id` is then.
 * @throws Refusal VALIDATION_ERROR
 */
export async function adding(
  statements: Reads,
  of: DecisionsOf,
  decision: MergeDecision,
): Promise<AddedDecision> {
  const present = (await readDecisions(statements, of.catalogueId)).map(spoken);
  const saying = sayingOf(decision);
  const known = present.find((one) => sayingOf(one) === saying);
  if (known !== undefined) return { id: known.id, events: [] };
  const id = deriveEventId(of.commandId, "decision", 0);
  await requireSound(statements, of, [decision], [decision, ...present]);
  const change = { withdrawn: [], made: [{ id, ...decision }] };
  return { id, events: [...decisionEvents(of.catalogueId, change)] };
}

/** @param made those that are new, of `holding`, which hold then */
async function requireSound(
  statements: Reads,
  { sources, reader }: DecisionsOf,
  made: readonly MergeDecision[],
  holding: readonly MergeDecision[],
): Promise<void> {
  requireFew(holding.length);
  await requireDecidable(statements, { sources, reader }, made, holding);
}

/** Whether a decision names an event of a hidden source. */
export function names({ events }: DecisionRow, hidden: OfMerge["hidden"]): boolean {
  return hidden !== null && events.some(({ catalogue_id }) => hidden.includes(catalogue_id));
}

function spoken({ id, type, events, note }: DecisionRow): MadeDecision {
  return { id, type, events, ...(note !== null && { note }) };
}
