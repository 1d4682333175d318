import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { Declustered } from "#services/domain/statistics/declustering/decluster.ts";
import { type ChunkStream, chunksOf } from "../commands/chunk-stream.ts";
import type { proximityDistribution } from "../domain/statistics/declustering/proximity-distribution.ts";
import type * as tasks from "./decluster-worker.ts";
import type {
  DeclusterProgress,
  DeclusterTask,
  LabelledEnd,
  LabelledTask,
  ProximityTask,
} from "./decluster-worker.ts";

export type DeclusterRun = {
  /** Ends the computation at once; nothing of it is kept. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DeclusterProgress) => void;
};

/** Finds clusters in worker threads with connections of their own. */
export type Declusterer = {
  readonly find: (
    task: Omit<DeclusterTask, "databaseUrl">,
    run: DeclusterRun,
  ) => Promise<Omit<Declustered, "labels">>;
  readonly proximities: (
    task: Omit<ProximityTask, "databaseUrl">,
  ) => Promise<ReturnType<typeof proximityDistribution>>;
  /** Passes the events of a role to `use`, in chunks. @throws errors of `use` */
  readonly labelled: <T>(
    task: Omit<LabelledTask, "databaseUrl">,
    signal: AbortSignal,
    use: (events: ChunkStream<LabelledEnd>) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** It takes a processor and 300 MB for a million events; others wait. */
const MAX_FINDS = 1;
const STUCK_AFTER_SECONDS = 120;

export function createDeclusterer({
  databaseUrl,
}: Pick<DeclusterTask, "databaseUrl">): Declusterer {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./decluster-worker.ts", import.meta.url),
    maxThreads: MAX_FINDS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    async find(task, { signal, onProgress }) {
      const answer = async (progress: DeclusterProgress) => onProgress(progress);
      const given = { databaseUrl, ...task };
      const items = workers.stream("findClusters", given, { signal, answer, endsThread: true });
      const { value } = await items.next();
      return value;
    },
    proximities: (task) => workers.run("findProximities", { databaseUrl, ...task }),
    async labelled(task, signal, use) {
      const items = workers.stream("streamLabelled", { databaseUrl, ...task }, { signal });
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, bounds: NO_BOUNDS });
      }
    },
    close: () => workers.close(),
  };
}
