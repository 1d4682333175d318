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
  const plan = await planOf(client, sources, config);
  const former = await readFormerEvents(client, base, plan, null);
  const { duplicateGroups } = plan.counts;
  return { base, plan, former, concerned: null, isWhole: true, duplicateGroups };
}
