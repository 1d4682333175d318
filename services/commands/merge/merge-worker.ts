/** Entry points of the merge threads: merging a million events must not block other requests. */
import type { MessagePort } from "node:worker_threads";
import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { type ErrorCode, Refusal } from "#contracts/errors.ts";
import type { MergeCounts, MergePreview } from "#contracts/http/merge.ts";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";
import { workerTask } from "#infra/threads/task.ts";
import { at } from "#services/domain/merge/columns.ts";
import { membersOf } from "#services/domain/merge/grouping.ts";
import { mergeGroup } from "#services/domain/merge/strategies/merge-group.ts";
import { createChunkSender } from "../chunk-port.ts";
import { completeGroups } from "./complete-groups.ts";
import { type MergePlan, type MergeRequest, type MergeSource, planMerge } from "./merge-plan.ts";
import { previewOf } from "./preview-groups.ts";
import { createUniqueSourceIds } from "./unique-source-ids.ts";

export type MergeTask = MergeRequest & { readonly databaseUrl: string };

/** Known before the first merged event. */
export type MergeBegin = {
  readonly sources: readonly MergeSource[];
  readonly counts: MergeCounts;
};

export type MergeEnd = { readonly added: number; readonly bounds: Bounds };

/** Errors lose their class between threads, so a refusal is part of the result. */
export type MergeRefusal = { readonly code: ErrorCode; readonly message: string };

/** The merged events as the chunks of a catalogue's first revision, in order of time. */
export const streamMerged = workerTask(sendMerged);

async function sendMerged(
  task: MergeTask & { readonly port: MessagePort },
): Promise<MergeEnd | MergeRefusal> {
  const sender = createChunkSender<MergeBegin>(task.port);
  try {
    return await withPlan(task, async (client, plan) => {
      sender.begin({ sources: plan.sources, counts: plan.counts });
      const writer = createChunkWriter();
      const withUniqueId = createUniqueSourceIds();
      for await (const groups of completeGroups(client, plan, () => true)) {
        for (const { group, members } of groups) {
          const { record, chosen } = mergeGroup(members, plan.rules);
          const row = at(membersOf(plan.grouping, group), chosen);
          const chunk = writer.add(withUniqueId(record, plan.sourceIds.textOf(row)));
          if (chunk !== null) await sender.send(chunk);
        }
      }
      await sender.send(writer.finish());
      return { added: writer.counts().added, bounds: writer.bounds() };
    });
  } finally {
    sender.end();
  }
}

export const previewMerged = workerTask(
  (task: MergeTask): Promise<MergePreview | MergeRefusal> => withPlan(task, previewOf),
);

/** One snapshot for all reads: no source can change or disappear in between. */
async function withPlan<T>(
  { databaseUrl, ...request }: MergeTask,
  use: (client: ClientBase, plan: MergePlan) => Promise<T>,
): Promise<T | MergeRefusal> {
  const { client, close } = await openWatchedSession(databaseUrl, "merge");
  try {
    await client.query("begin isolation level repeatable read, read only");
    return await use(client, await planMerge(client, request));
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  } finally {
    await close();
  }
}
