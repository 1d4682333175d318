/** Entry point of the merge threads: merging a million events must not block other requests. */

import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/events/catalogues.ts";
import type { Duplicates } from "#contracts/http/events.ts";
import type {
  MergeCounts,
  MergeEvaluation,
  MergePreview,
  ScoreParts,
} from "#contracts/http/merges.ts";
import { MERGE_LIMITS } from "#contracts/merges/config.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openThreadSession, type Session } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { type FoundPair, readDecisions, replacePairs } from "#projections/read/merges/decisions.ts";
import { type MergeBase, readMergeBase } from "#projections/read/merges/refresh.ts";
import { latestVersions } from "#projections/read/merges/sources.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { findAmbiguousPairs } from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import { membersOf } from "#services/domain/merges/grouping/group-events.ts";
import { at } from "#services/domain/merges/grouping/thresholds.ts";
import { mergeGroup } from "#services/domain/merges/solution/merge-group.ts";
import { qualityScore } from "#services/domain/merges/solution/strategies.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/revision-changes.ts";
import { decisionsInForce } from "./decisions.ts";
import {
  completeGroups,
  type MergePlan,
  type MergeRequest,
  type MergeSource,
  mergedEvents,
  planMerge,
  planOf,
  standsFor,
} from "./plan.ts";
import {
  ambiguousPairs,
  type DuplicatesRequest,
  duplicatesIn,
  type EvaluationGrid,
  evaluated,
  placeOf,
} from "./preview.ts";
import { previewRefreshed, refreshed } from "./refresh.ts";

/** Known before the first merged event. */
type MergeBegin = {
  readonly sources: readonly MergeSource[];
  readonly counts: MergeCounts;
};

type MergeEnd = { readonly added: number; readonly bounds: Bounds };

export const previewRefresh = workerTask(previewRefreshed);
export const streamRefreshed = workerStream(refreshed, CHUNKS_AHEAD);

/** The merged events as the chunks of a catalogue's first revision, in order of time. */
export const streamMerged = workerStream(merged, CHUNKS_AHEAD);

async function* merged(
  task: MergeRequest,
): AsyncGenerator<{ readonly begin: MergeBegin } | Chunk, MergeEnd> {
  await using planned = await openPlan(task);
  const { client, plan } = planned;
  yield { begin: { sources: plan.sources, counts: plan.counts } };
  const writer = createChunkWriter();
  for await (const rows of mergedEvents(client, plan)) {
    for (const { record, bulletin } of rows) {
      const chunk = writer.add(record, bulletin);
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { added: writer.counts().added, bounds: writer.bounds() };
}

export const findPairs = workerTask(foundPairs);

export const previewMerged = workerTask(async (task: MergeRequest): Promise<MergePreview> => {
  await using planned = await openPlan(task);
  return await previewOf(planned.client, planned.plan);
});

/** Progress in cells of the grid. */
export const evaluateMerged = workerStream(async function* ({
  grid,
  ...task
}: MergeRequest & { readonly grid: EvaluationGrid }): AsyncGenerator<number, MergeEvaluation> {
  await using planned = await openPlan(task, MERGE_LIMITS.evaluated);
  return yield* evaluated(planned.client, planned.plan, grid);
});

export const findDuplicates = workerTask(
  async (request: DuplicatesRequest): Promise<Duplicates> => {
    await using session = await openThreadSession("duplicates");
    await session.client.query("begin isolation level repeatable read, read only");
    return await duplicatesIn(session.client, request);
  },
);

/** One snapshot for all reads: no source can change or disappear in between. */
async function openPlan(
  request: MergeRequest,
  maxEvents?: number,
): Promise<Session & { readonly plan: MergePlan }> {
  const session = await openThreadSession("merge");
  try {
    await session.client.query("begin isolation level repeatable read, read only");
    return { ...session, plan: await planMerge(session.client, request, maxEvents) };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The preview of a merge: its groups and the pairs that a person should check. */
async function previewOf(client: ClientBase, plan: MergePlan): Promise<MergePreview> {
  const groups = await duplicateGroups(client, plan);
  const { pairs, truncated } = await ambiguousPairs(client, plan);
  const hasMore = plan.counts.duplicateGroups > groups.length;
  return { ...plan.counts, groups, ambiguous: pairs, truncated: truncated || hasMore };
}

/** The first groups of more than one event. */
async function duplicateGroups(
  client: ClientBase,
  plan: MergePlan,
): Promise<MergePreview["groups"]> {
  const wanted = firstDuplicates(plan);
  if (wanted.size === 0) return [];
  const byNumber = new Map<number, MergePreview["groups"][number]>();
  // To the end of the rows: after an early return the connection would be in the middle of a COPY.
  const isWanted = (group: number) => wanted.has(group);
  for await (const complete of completeGroups(client, plan, isWanted, false)) {
    for (const { group, members } of complete) {
      const { record, reason } = mergeGroup(members, plan.rules);
      const records = new Map(members.map((one) => [one.eventId, one.record]));
      const sources = (record.source_events ?? []).map((one) => {
        const own = records.get(one.event_id);
        if (own === undefined) throw new RangeError(`no member ${one.event_id}`);
        return { ...one, ...placeOf(own), score_parts: scorePartsOf(own) };
      });
      byNumber.set(group, { reason, members: sources });
    }
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([, group]) => group);
}

function scorePartsOf(record: SeismicEventRecord): ScoreParts {
  const { total: _, magnitudeUncertainty, magnitudeType, ...parts } = qualityScore(record);
  return {
    ...parts,
    magnitude_uncertainty: magnitudeUncertainty,
    magnitude_type: magnitudeType,
  };
}

function firstDuplicates({ grouping }: MergePlan): Set<number> {
  const first = new Set<number>();
  for (let group = 0; group < grouping.count && first.size < MERGE_LIMITS.preview; group += 1) {
    if (membersOf(grouping, group).length > 1) first.add(group);
  }
  return first;
}

/**
 * Finds the pairs of a merge as it was merged last, and keeps them. Of decisions those count that hold now.
 * @throws Refusal MERGE_ERROR
 */
async function foundPairs({ catalogueId }: { readonly catalogueId: string }): Promise<void> {
  await using session = await openThreadSession("merge review");
  const { client } = session;
  await client.query("begin isolation level repeatable read, read only");
  const base = await readMergeBase(client, catalogueId);
  if (base === null) return;
  const ids = base.sources.map(({ id }) => id);
  const latest = await latestVersions(client, ids, SERVICE);
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

/** What people can look at, and far more than they will: some 200 bytes each. */
const MAX_PAIRS = 500_000;

function pairsOf({ origins, groupingRules, grouping, sources }: MergePlan): FoundPair[] {
  const { pairs } = findAmbiguousPairs(origins, groupingRules, grouping, MAX_PAIRS);
  const idOf = (row: number) => ({
    catalogueId: sources[at(origins.source, row)]?.id ?? "",
    eventId: origins.ids.textOf(row) ?? "",
  });
  return pairs.map((pair) => ({ ...pair, first: idOf(pair.first), second: idOf(pair.second) }));
}
