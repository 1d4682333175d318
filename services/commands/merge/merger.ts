import type { CatalogueAccess, Editing } from "#contracts/catalogue-rights.ts";
import type { Duplicates } from "#contracts/http/events/duplicates.ts";
import type { MergeCounts, MergePreview } from "#contracts/http/merges/merge.ts";
import type { MergeEvaluation } from "#contracts/http/merges/merge-evaluation.ts";
import type { RefreshPreview } from "#contracts/http/merges/merge-refresh.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import { createCatalogueCommand } from "../catalogues/create-catalogue.ts";
import { type ChunkStream, countedChunks, useChunks } from "../changes/chunks-of-thread.ts";
import type { Command, CommandContext } from "../context.ts";
import type { EvaluationGrid } from "./evaluate-merge.ts";
import type { DuplicatesRequest } from "./find-duplicates.ts";
import type * as tasks from "./merge-worker.ts";
import type { MergeBegin, MergeEnd, MergeTask } from "./merge-worker.ts";
import { type MergeRequest, mergedSource } from "./plan/merge-plan.ts";
import { otherRuns, type RefreshRequest } from "./refresh/open-refresh.ts";
import type { RefreshBegin, RefreshEnd, RefreshTask } from "./refresh/stream-refreshed.ts";

/** A running merge, whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & ChunkStream<MergeEnd>;
export type RunningRefresh = RefreshBegin & ChunkStream<RefreshEnd>;

/** Merges in worker threads, each with its own database connection. */
export type Merger = {
  /**
   * Passes the merged events to `use`, in chunks; chunks that are not read are not merged.
   * @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly merge: <T>(
    request: MergeRequest,
    asker: Asker,
    use: (merge: RunningMerge) => Promise<T>,
  ) => Promise<T>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly preview: (request: MergeRequest, asker: Asker) => Promise<MergePreview>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly evaluate: (
    request: MergeRequest,
    grid: EvaluationGrid,
    run: MergeRun,
  ) => Promise<MergeEvaluation>;
  /** @throws QueueFull; Refusal NOT_FOUND, MERGE_ERROR; the signal's reason */
  readonly duplicates: (request: DuplicatesRequest, asker: Asker) => Promise<Duplicates>;
  /**
   * Passes the changes of a refresh to `use`, in chunks.
   * @throws QueueFull; Refusal NOT_FOUND, FORBIDDEN, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly refresh: <T>(
    request: Omit<RefreshTask, "databaseUrl">,
    asker: Asker,
    use: (refresh: RunningRefresh) => Promise<T>,
  ) => Promise<T>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly previewRefresh: (request: RefreshRequest, asker: Asker) => Promise<RefreshPreview>;
};

export function createMerger(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<MergeTask, "databaseUrl">,
): Merger {
  /** Ids of catalogues: what waits for a thread runs already, for whoever asks. */
  const refreshing = new Set<string>();
  return {
    merge: (request, asker, use) =>
      useChunks(threads.stream("streamMerged", { ...request, databaseUrl }, asker), use),
    preview: (request, asker) => threads.run("previewMerged", { ...request, databaseUrl }, asker),
    previewRefresh: (request, asker) =>
      threads.run("previewRefresh", { ...request, databaseUrl }, asker),
    async evaluate(request, grid, { onProgress, ...asker }) {
      const total = grid.timeThresholds.length * grid.distanceThresholds.length;
      const task = { ...request, grid, databaseUrl };
      const evaluating = threads.stream("evaluateMerged", task, asker);
      for (;;) {
        const { done, value } = await evaluating.next();
        if (done) return value;
        onProgress({ done: value, total });
      }
    },
    duplicates: (request, asker) =>
      threads.run("findDuplicates", { ...request, databaseUrl }, asker),
    async refresh(request, asker, use) {
      const { catalogueId } = request;
      if (refreshing.has(catalogueId)) throw otherRuns();
      refreshing.add(catalogueId);
      try {
        const items = threads.stream("streamRefreshed", { ...request, databaseUrl }, asker);
        return await useChunks(items, use);
      } finally {
        refreshing.delete(catalogueId);
      }
    },
  };
}

export type MergeCatalogues = MergeRequest & {
  readonly name: string;
  /** Absent: restricted where a source is, else internal. */
  readonly access?: CatalogueAccess | undefined;
  readonly editing?: Editing;
};

export type MergedCatalogue = MergeCounts & { readonly catalogueId: string };

/** Its signal cancels the merge; nothing of it remains. */
export type MergeRun = Asker & {
  /** Called with the number of merged events written, and their total. */
  readonly onProgress: (progress: { done: number; total: number }) => void;
};

/**
 * Merges catalogues into a new one and returns its id once it is visible. The sources are read and
 * grouped before anything is written.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR
 */
export async function mergeCataloguesCommand(
  deps: { readonly context: CommandContext; readonly merger: Merger },
  command: Command,
  { name: text, access: given, editing = "all", ...request }: MergeCatalogues,
  { onProgress, ...asker }: MergeRun,
): Promise<MergedCatalogue> {
  const name = catalogueName(text);
  const { context, merger } = deps;
  return merger.merge(request, asker, async ({ sources, counts, chunks, end }) => {
    const { duplicateGroups } = counts;
    const merge = {
      config: request.config,
      sources: sources.map(mergedSource),
      duplicateGroups,
      rules: GROUPING_RULES,
    };
    const isOfRestricted = sources.some(({ isRestricted }) => isRestricted);
    const access = given ?? (isOfRestricted ? "restricted" : "internal");
    const { decisions = [] } = request;
    const wanted = { name, access, editing, merge, decisions };
    const catalogueId = await createCatalogueCommand(context, command, wanted, {
      chunks: countedChunks(chunks, (done) => onProgress({ done, total: counts.eventCount })),
      totals: async () => ({ ...(await end()), updated: 0, removed: 0 }),
    });
    return { catalogueId, ...counts };
  });
}
