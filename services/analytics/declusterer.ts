import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type { Declustered } from "#services/domain/analytics/declustering/decluster.ts";
import { type ChunkStream, chunksOf } from "../commands/changes/chunks-of-thread.ts";
import type { proximityDistribution } from "../domain/analytics/declustering/nearest-neighbour.ts";
import type { Run } from "../jobs/run-job.ts";
import type * as tasks from "./decluster-worker.ts";
import type {
  DeclusterProgress,
  DeclusterTask,
  LabelledEnd,
  LabelledTask,
  ProximityTask,
} from "./decluster-worker.ts";

/** Finds clusters in worker threads with connections of their own; whoever leaves ends the computation at once. */
export type Declusterer = {
  readonly find: (
    task: Omit<DeclusterTask, "databaseUrl">,
    run: Run,
  ) => Promise<Omit<Declustered, "labels">>;
  readonly proximities: (
    task: Omit<ProximityTask, "databaseUrl">,
    asker: Asker,
  ) => Promise<ReturnType<typeof proximityDistribution>>;
  /** Passes the events of a role to `use`, in chunks. @throws Refusal GONE; errors of `use` */
  readonly labelled: <T>(
    task: Omit<LabelledTask, "databaseUrl">,
    asker: Asker,
    use: (events: ChunkStream<LabelledEnd>) => Promise<T>,
  ) => Promise<T>;
};

export function createDeclusterer(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<DeclusterTask, "databaseUrl">,
): Declusterer {
  return {
    async find(task, run) {
      const answer = async (progress: DeclusterProgress) => run.onProgress(progress);
      const items = threads.stream("findClusters", { databaseUrl, ...task }, run, { answer });
      const { value } = await items.next();
      return value;
    },
    proximities: (task, asker) => threads.run("findProximities", { databaseUrl, ...task }, asker),
    async labelled(task, asker, use) {
      const items = threads.stream("streamLabelled", { databaseUrl, ...task }, asker);
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, bounds: NO_BOUNDS });
      }
    },
  };
}
