import type { ResourceLimits, Transferable } from "node:worker_threads";
import { Piscina } from "piscina";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { BEATS, newPulse, THREAD, type WatchedTask } from "./task.ts";

export type WorkerThreadsOptions = {
  /** The module with the tasks, each made by `workerTask`. */
  readonly entry: URL;
  readonly maxThreads: number;
  /**
   * A thread is ended when its event loop is blocked for this long and its task does not report
   * being alive.
   */
  readonly stuckAfterSeconds: number;
  /** How long an idle thread is kept. */
  readonly idleTimeout?: number;
  /** For tasks that mostly wait; they end together when one of them is stuck. */
  readonly concurrentTasksPerWorker?: number;
  readonly resourceLimits?: ResourceLimits;
};

export type RunOptions = {
  /** The task's name among the module's exports. */
  readonly name: string;
  readonly transferList?: readonly Transferable[];
  /** Ends the thread immediately; for tasks with a thread of their own. */
  readonly signal?: AbortSignal;
};

export type WorkerThreads = {
  /** @throws TaskStuck; AbortError or the signal's reason; errors of the task, without their class */
  readonly run: <R>(task: object, options: RunOptions) => Promise<R>;
  readonly close: () => Promise<void>;
};

/** A task was ended because it made no progress. */
export class TaskStuck extends Error {
  override readonly name = "TaskStuck";

  constructor(task: string, seconds: number, cause: unknown) {
    super(`${task} made no progress for ${seconds} s and was ended`, { cause });
  }
}

/**
 * Priority of the threads below that of the main thread (nice(2)), so that answering requests is not
 * slowed when a million events are read.
 */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;
const LOOK_MS = 1_000;
const NEVER = new AbortController().signal;

/** Threads for work that must not block other requests. They are started on demand. */
export function createWorkerThreads(given: WorkerThreadsOptions): WorkerThreads {
  const { entry, stuckAfterSeconds, ...options } = given;
  const pool = new Piscina({
    minThreads: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    ...options,
    filename: entry.href,
    niceIncrement: NICE,
    // Otherwise a worker blocks its thread between tasks before its messages are sent.
    atomics: "disabled",
  });
  // Tasks wait here, because those in the pool's own queue are lost when a thread is ended.
  const slots = createRequestSlots(options.maxThreads * (options.concurrentTasksPerWorker ?? 1));

  async function runNow<R>(task: object, { name, transferList = [], signal }: RunOptions) {
    const pulse = newPulse();
    const watchdog = watch(pulse, stuckAfterSeconds, (thread) => {
      void pool.threads.find(({ threadId }) => threadId === thread)?.terminate();
    });
    try {
      const watched: WatchedTask<object> = { task, pulse };
      const result: R = await pool.run(watched, {
        name,
        transferList: [...transferList],
        ...(signal && { signal }),
      });
      return result;
    } catch (error) {
      if (watchdog.hasBitten()) throw new TaskStuck(name, stuckAfterSeconds, error);
      throw error;
    } finally {
      watchdog.stop();
    }
  }

  return {
    run: <R>(task: object, run: RunOptions) =>
      slots.run<R>(() => runNow<R>(task, run), run.signal ?? NEVER),
    close: () => pool.close(),
  };
}

/**
 * Watches a pulse once it has begun. It counts checks, not seconds: while the whole process is
 * suspended there are none.
 */
function watch(
  pulse: SharedArrayBuffer,
  patience: number,
  bite: (threadId: number) => void,
): { readonly hasBitten: () => boolean; readonly stop: () => void } {
  const beats = new Int32Array(pulse);
  let seen = -1;
  let still = 0;
  let bitten = false;
  const timer = setInterval(() => {
    const thread = Atomics.load(beats, THREAD);
    const now = Atomics.load(beats, BEATS);
    still = thread !== 0 && now === seen ? still + 1 : 0;
    seen = now;
    if (still < patience) return;
    clearInterval(timer);
    bitten = true;
    bite(thread);
  }, LOOK_MS);
  return { hasBitten: () => bitten, stop: () => clearInterval(timer) };
}
