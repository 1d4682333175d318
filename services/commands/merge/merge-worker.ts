/** Entry points of the merge threads: merging a million events must not block other requests. */
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import type { MergeCounts, MergePreview } from "#contracts/http/merge.ts";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { openWatchedSession, type Session } from "#infra/postgres/session.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import { haveBulletins } from "#projections/queries/merges/merge-sources.ts";
import { at } from "#services/domain/merge/columns.ts";
import { membersOf } from "#services/domain/merge/grouping/grouping.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/chunks-of-thread.ts";
import { completeGroups } from "./complete-groups.ts";
import { type MergePlan, type MergeRequest, type MergeSource, planMerge } from "./merge-plan.ts";
import { createBulletinMerger } from "./merged-bulletin.ts";
import { previewOf } from "./preview-groups.ts";
import { createUniqueSourceIds } from "./unique-source-ids.ts";

export type MergeTask = MergeRequest & { readonly databaseUrl: string };

/** Known before the first merged event. */
export type MergeBegin = {
  readonly sources: readonly MergeSource[];
  readonly counts: MergeCounts;
};

export type MergeEnd = { readonly added: number; readonly bounds: Bounds };

/** The merged events as the chunks of a catalogue's first revision, in order of time. */
export const streamMerged = workerStream(merged, CHUNKS_AHEAD);

async function* merged(
  task: MergeTask,
): AsyncGenerator<{ readonly begin: MergeBegin } | Chunk, MergeEnd> {
  await using planned = await openPlan(task);
  const { client, plan } = planned;
  yield { begin: { sources: plan.sources, counts: plan.counts } };
  const writer = createChunkWriter();
  const withUniqueId = createUniqueSourceIds();
  const bulletinOf = createBulletinMerger(plan.rules);
  const withBulletins = await haveBulletins(client, plan.sources);
  for await (const groups of completeGroups(client, plan, () => true, withBulletins)) {
    for (const { group, members } of groups) {
      const merged = mergeGroup(members, plan.rules);
      const row = at(membersOf(plan.grouping, group), merged.chosen);
      const unique = withUniqueId(merged.record, plan.sourceIds.textOf(row));
      const chunk = writer.add(unique, bulletinOf(members, unique, merged));
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { added: writer.counts().added, bounds: writer.bounds() };
}

export const previewMerged = workerTask(async (task: MergeTask): Promise<MergePreview> => {
  await using planned = await openPlan(task);
  return await previewOf(planned.client, planned.plan);
});

type OpenPlan = Session & { readonly plan: MergePlan };

/** One snapshot for all reads: no source can change or disappear in between. */
async function openPlan({ databaseUrl, ...request }: MergeTask): Promise<OpenPlan> {
  const session = await openWatchedSession(databaseUrl, "merge");
  try {
    await session.client.query("begin isolation level repeatable read, read only");
    return { ...session, plan: await planMerge(session.client, request) };
  } catch (error) {
    await session.close();
    throw error;
  }
}
