import type { CommonQueryMethods } from "slonik";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { pairsStandFor } from "#projections/read/merges/decisions.ts";
import type { MergeRow } from "#projections/read/merges/merge.ts";
import type { FindPairsTask } from "./find-pairs.ts";
import type * as tasks from "./merge-worker.ts";
import { standsFor } from "./pairs-stand-for.ts";

export type PairFinder = {
  /**
   * Sees to it that the pairs of a merge are kept as it was merged last: who comes first waits for as long as the
   * reading of its sources takes.
   * @throws QueueFull; Refusal MERGE_ERROR
   */
  readonly keepPairs: (
    merge: Pick<MergeRow, "id" | "config" | "sources">,
    asker: Asker,
  ) => Promise<void>;
};

export function createPairFinder(
  threads: WorkerThreads<typeof tasks>,
  {
    databaseUrl,
    pool,
  }: Pick<FindPairsTask, "databaseUrl"> & {
    readonly pool: Pick<CommonQueryMethods, "maybeOne">;
  },
): PairFinder {
  /** By the merge and what its pairs stand for. */
  const finding = new Map<string, Promise<void>>();
  return {
    async keepPairs(merge, asker) {
      const wanted = standsFor(merge);
      if ((await pairsStandFor(pool, merge.id)) === wanted) return;
      const key = `${merge.id} ${wanted}`;
      const found =
        finding.get(key) ??
        threads
          .run("findPairs", { databaseUrl, catalogueId: merge.id }, staying(asker))
          .finally(() => finding.delete(key));
      finding.set(key, found);
      await found;
    },
  };
}
