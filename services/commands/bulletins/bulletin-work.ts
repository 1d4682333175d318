import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type * as tasks from "./bulletin-worker.ts";
import {
  type ChangeTask,
  changeStored,
  type MakeChange,
  type StoredPieces,
} from "./change-stored.ts";
import { type CompareTask, compareStored } from "./compare-stored.ts";

/** Work with whole bulletins, large ones in worker threads. */
export type BulletinWork = {
  readonly changeFor: (asker: Asker) => MakeChange;
  /** In what two bulletins of an event differ. @throws CorruptBulletin */
  readonly compare: (task: CompareTask, asker: Asker) => Promise<SolutionChanges>;
};

/** Stored bytes of a bulletin that is unpacked and packed within 20 ms; its JSON is some twenty times as long. */
const SMALL = 24 * 1024;

export function createBulletinWork(threads: WorkerThreads<typeof tasks>): BulletinWork {
  return {
    changeFor: (asker) => (task: ChangeTask) =>
      Array.isArray(task.source) && sizeOf(task.source) > SMALL
        ? threads.run("changeOf", task, asker)
        : changeStored(task),
    compare: async (task, asker) =>
      sizeOf(task.before) + sizeOf(task.after) > SMALL
        ? threads.run("changesBetween", task, asker)
        : compareStored(task),
  };
}

function sizeOf(pieces: StoredPieces | null): number {
  return pieces?.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
}
