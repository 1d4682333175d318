/** Entry points of the merge threads: merging a million events must not block other requests. */

import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import type { Duplicates } from "#contracts/http/events/duplicates.ts";
import type { MergeCounts, MergePreview, ScoreParts } from "#contracts/http/merges/merge.ts";
import type { MergeEvaluation } from "#contracts/http/merges/merge-evaluation.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openWatchedSession, type Session } from "#infra/postgres/connection.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { membersOf } from "#services/domain/merges/grouping/group-events.ts";
import { mergeGroup } from "#services/domain/merges/solution/merge-group.ts";
import { qualityScore } from "#services/domain/merges/solution/quality-score.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/chunks-of-thread.ts";
import { type EvaluationGrid, evaluated } from "./evaluate-merge.ts";
import { type DuplicatesRequest, duplicatesIn } from "./find-duplicates.ts";
import { foundPairs } from "./find-pairs.ts";
import { completeGroups } from "./plan/complete-groups.ts";
import {
  type MergePlan,
  type MergeRequest,
  type MergeSource,
  planMerge,
} from "./plan/merge-plan.ts";
import { mergedEvents } from "./plan/merged-events.ts";
import { ambiguousPairs, placeOf } from "./preview-pairs.ts";
import { previewRefreshed } from "./refresh/preview-refreshed.ts";
import { refreshed } from "./refresh/stream-refreshed.ts";

export type MergeTask = MergeRequest & { readonly databaseUrl: string };

/** Known before the first merged event. */
export type MergeBegin = {
  readonly sources: readonly MergeSource[];
  readonly counts: MergeCounts;
};

export type MergeEnd = { readonly added: number; readonly bounds: Bounds };

export const previewRefresh = workerTask(previewRefreshed);
export const streamRefreshed = workerStream(refreshed, CHUNKS_AHEAD);

/** The merged events as the chunks of a catalogue's first revision, in order of time. */
export const streamMerged = workerStream(merged, CHUNKS_AHEAD);

async function* merged(
  task: MergeTask,
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

export const previewMerged = workerTask(async (task: MergeTask): Promise<MergePreview> => {
  await using planned = await openPlan(task);
  return await previewOf(planned.client, planned.plan);
});

export type EvaluationTask = MergeTask & { readonly grid: EvaluationGrid };

/** Progress in cells of the grid. */
export const evaluateMerged = workerStream(async function* ({
  grid,
  ...task
}: EvaluationTask): AsyncGenerator<number, MergeEvaluation> {
  await using planned = await openPlan(task, MERGE_LIMITS.evaluated);
  return yield* evaluated(planned.client, planned.plan, grid);
});

export type DuplicatesTask = DuplicatesRequest & Pick<MergeTask, "databaseUrl">;

export const findDuplicates = workerTask(
  async ({ databaseUrl, ...request }: DuplicatesTask): Promise<Duplicates> => {
    await using session = await openWatchedSession(databaseUrl, "duplicates");
    await session.client.query("begin isolation level repeatable read, read only");
    return await duplicatesIn(session.client, request);
  },
);

type OpenPlan = Session & { readonly plan: MergePlan };

/** One snapshot for all reads: no source can change or disappear in between. */
async function openPlan(
  { databaseUrl, ...request }: MergeTask,
  maxEvents?: number,
): Promise<OpenPlan> {
  const session = await openWatchedSession(databaseUrl, "merge");
  try {
    await session.client.query("begin isolation level repeatable read, read only");
    return { ...session, plan: await planMerge(session.client, request, maxEvents) };
  } catch (error) {
    await session.close();
    throw error;
  }
}

type Group = MergePreview["groups"][number];

/** The preview of a merge: its groups and the pairs that a person should check. */
async function previewOf(client: ClientBase, plan: MergePlan): Promise<MergePreview> {
  const { groups, more } = await duplicateGroups(client, plan);
  const { pairs, truncated } = await ambiguousPairs(client, plan);
  return { ...plan.counts, groups, ambiguous: pairs, truncated: truncated || more };
}

async function duplicateGroups(
  client: ClientBase,
  plan: MergePlan,
): Promise<{ groups: Group[]; more: boolean }> {
  const wanted = firstDuplicates(plan);
  const byNumber = new Map<number, Group>();
  if (wanted.size > 0) {
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
  }
  const groups = [...byNumber].sort(([a], [b]) => a - b).map(([, group]) => group);
  return { groups, more: plan.counts.duplicateGroups > groups.length };
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
