import { statementsOn } from "#infra/postgres/statements.ts";
import { readDecisions } from "#projections/queries/merges/decision-queries.ts";
import { decisionsInForce } from "../decisions-in-force.ts";
import { planOf } from "../merge-plan.ts";
import { readFormerEvents } from "./former-events.ts";
import type { OpenRefresh } from "./open-refresh.ts";
import type { Refreshing } from "./refresh-changes.ts";

/** What a refresh is of; `duplicateGroups` is of the merged catalogue then. */
export type RefreshScope = Refreshing & {
  readonly isWhole: boolean;
  readonly duplicateGroups: number;
};

/** Merges everything again. @throws Refusal MERGE_ERROR */
export async function wholeScope({
  client,
  base,
  sources,
  config,
}: OpenRefresh): Promise<RefreshScope> {
  const decided = await readDecisions(statementsOn(client), base.id);
  const decisions = await decisionsInForce(client, sources, decided);
  const plan = await planOf(client, sources, config, { decisions });
  const former = await readFormerEvents(client, base, plan, null);
  const { duplicateGroups } = plan.counts;
  return { base, plan, former, concerned: null, isWhole: true, duplicateGroups };
}
