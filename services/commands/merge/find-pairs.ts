/** Entry point of a merge thread: the pairs of a merge that people should look at. */
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { type FoundPair, readDecisions, replacePairs } from "#projections/read/merges/decisions.ts";
import { type MergeBase, readMergeBase } from "#projections/read/merges/refresh.ts";
import { latestVersions } from "#projections/read/merges/sources.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { findAmbiguousPairs } from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import { at } from "#services/domain/merges/grouping/origins.ts";
import { standsFor } from "./pairs-stand-for.ts";
import { decisionsInForce } from "./plan/decisions-in-force.ts";
import { type MergePlan, type MergeSource, planOf } from "./plan/merge-plan.ts";

export type FindPairsTask = { readonly databaseUrl: string; readonly catalogueId: string };

/** What people can look at, and far more than they will: some 200 bytes each. */
const MAX_PAIRS = 500_000;

/**
 * Finds the pairs of a merge as it was merged last, and keeps them. Of decisions those count that hold now.
 * @throws Refusal MERGE_ERROR
 */
export async function foundPairs({ databaseUrl, catalogueId }: FindPairsTask): Promise<void> {
  await using session = await openWatchedSession(databaseUrl, "merge review");
  const { client } = session;
  await client.query("begin isolation level repeatable read, read only");
  const base = await readMergeBase(client, catalogueId);
  if (base === null) return;
  const latest = await latestVersions(
    client,
    base.sources.map(({ id }) => id),
    SERVICE,
  );
  const sources = asMerged(base, latest);
  const made = await readDecisions(statementsOn(client), catalogueId);
  const decisions = await decisionsInForce(client, latest, made);
  const pairs = pairsOf(await planOf(client, sources, base.config, { decisions }));
  await client.query("commit");
  await replacePairs(client, catalogueId, standsFor(base), pairs);
}

/** The sources that are there still, as of the versions that were merged. */
function asMerged({ sources }: MergeBase, latest: readonly Omit<MergeSource, "source">[]) {
  const byId = new Map(latest.map((one) => [one.id, one]));
  return sources.flatMap(({ id, source, version, event_count: eventCount }) => {
    const known = byId.get(id);
    return known === undefined ? [] : [{ ...known, source, version, eventCount }];
  });
}

function pairsOf({ origins, groupingRules, grouping, sources }: MergePlan): FoundPair[] {
  const { pairs } = findAmbiguousPairs(origins, groupingRules, grouping, MAX_PAIRS);
  const idOf = (row: number) => ({
    catalogueId: sources[at(origins.source, row)]?.id ?? "",
    eventId: origins.ids.textOf(row) ?? "",
  });
  return pairs.map((pair) => ({ ...pair, first: idOf(pair.first), second: idOf(pair.second) }));
}
