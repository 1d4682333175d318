import type { ResourceLimits } from "node:worker_threads";
import type { Answer } from "./channel.ts";
import type { WorkerTask } from "./task.ts";

export type WorkerThreadsOptions = {
  /** The module with the tasks, each made by `workerStream` or `workerTask`. */
  readonly entry: URL;
  readonly maxThreads: number;
  /** A thread ends when it is blocked for this long and its task does not report being alive. */
  readonly stuckAfterSeconds: number;
  /** How long an idle thread is kept. */
  readonly idleTimeout?: number;
  /** For tasks that mostly wait; they end together when one of them is stuck. */
  readonly concurrentTasksPerWorker?: number;
  readonly resourceLimits?: ResourceLimits;
};

export type RunOptions = {
  /** Ends the thread immediately; for tasks with a thread of their own. */
  readonly signal?: AbortSignal;
};

export type StreamOptions = RunOptions & {
  /** Pieces for the task, fetched as it takes them. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Answers the task's calls. */
  readonly answer?: Answer;
  /**
   * Whether leaving early ends the thread, its requests and queries, instead of telling it to stop.
   */
  readonly endsThread?: boolean;
};

type TaskOf<W> = W extends WorkerTask<infer T, infer _I, infer _R> ? T : never;
type ItemOf<W> = W extends WorkerTask<infer _T, infer I, infer _R> ? I : never;
type ResultOf<W> = W extends WorkerTask<infer _T, infer _I, infer R> ? R : never;

/** @template M the module with the tasks: `typeof` its namespace */
export type WorkerThreads<M> = {
  /**
   * The items of a task, in order, and its result. It starts with the first request for an item.
   * @throws TaskStuck; the signal's reason; errors of `input`; Refusals of the task, and its other
   * errors without their class
   */
  readonly stream: <N extends keyof M & string>(
    name: N,
    task: TaskOf<M[N]>,
    options?: StreamOptions,
  ) => AsyncGenerator<ItemOf<M[N]>, ResultOf<M[N]>>;
  /** The result of a task; its items are dropped. @throws like `stream` */
  readonly run: <N extends keyof M & string>(
    name: N,
    task: TaskOf<M[N]>,
    options?: RunOptions,
  ) => Promise<ResultOf<M[N]>>;
  readonly close: () => Promise<void>;
};

/** A task was ended because it made no progress. */
export class TaskStuck extends Error {
  override readonly name = "TaskStuck";

  constructor(task: string, seconds: number, cause: unknown) {
    super(`${task} made no progress for ${seconds} s and was ended`, { cause });
  }
}
