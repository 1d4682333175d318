import type { ResourceLimits } from "node:worker_threads";
import type { Asker } from "../kernel/asker.ts";
import type { QueueLimits } from "../kernel/queue-counts.ts";
import type { Answer } from "./channel.ts";
import type { WorkerTask } from "./task.ts";

/** Threads for tasks of one kind. @template M the module with the tasks: `typeof` its namespace */
export type ThreadKind<M = unknown> = {
  /** The module, whose tasks are each made by `workerStream` or `workerTask`. */
  readonly entry: URL;
  /** Tasks that run and wait; each of the running ones has a thread, or its share of one. */
  readonly queue: QueueLimits;
  /** For tasks that mostly wait; they end together when one of them is stuck. */
  readonly tasksPerThread?: number;
  readonly heap?: ResourceLimits;
  /** A thread ends when it is blocked for this long and its task does not report being alive. */
  readonly stuckAfterSeconds: number;
  /**
   * Whether leaving early ends the thread at once, with its requests and queries, instead of telling the task
   * to stop.
   */
  readonly endsThread: boolean;
  /** For its type. */
  readonly tasks?: M;
};

export type StreamOptions = {
  /** Pieces for the task, fetched as it takes them. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Answers the task's calls. */
  readonly answer?: Answer;
};

type TaskOf<W> = W extends WorkerTask<infer T, infer _I, infer _R> ? T : never;
type ItemOf<W> = W extends WorkerTask<infer _T, infer I, infer _R> ? I : never;
type ResultOf<W> = W extends WorkerTask<infer _T, infer _I, infer R> ? R : never;

/** A task, or what makes it once there is a thread: nothing large is held while it waits. */
type Given<T> = T | (() => Promise<T>);

export type WorkerThreads<M> = {
  /**
   * The items of a task, in order, and its result. It starts with the first request for an item, and ends with
   * its asker.
   * @throws QueueFull; TaskStuck; the signal's reason; errors of `input`; Refusals of the task, and its other
   * errors without their class
   */
  readonly stream: <N extends keyof M & string>(
    name: N,
    task: Given<TaskOf<M[N]>>,
    asker: Asker,
    options?: StreamOptions,
  ) => AsyncGenerator<ItemOf<M[N]>, ResultOf<M[N]>>;
  /** The result of a task; its items are dropped. @throws like `stream` */
  readonly run: <N extends keyof M & string>(
    name: N,
    task: Given<TaskOf<M[N]>>,
    asker: Asker,
  ) => Promise<ResultOf<M[N]>>;
  /** Ends what still runs. */
  readonly close: () => Promise<void>;
};

/** A task was ended because it made no progress. */
export class TaskStuck extends Error {
  override readonly name = "TaskStuck";

  constructor(task: string, seconds: number, cause: unknown) {
    super(`${task} made no progress for ${seconds} s and was ended`, { cause });
  }
}
