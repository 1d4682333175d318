import type { ResourceLimits, Transferable } from "node:worker_threads";
import { Piscina } from "piscina";
import { createRequestSlots } from "#infra/agency/request-slots.ts";
import { BEATS, newPulse, THREAD, type WatchedTask } from "./worker-task.ts";

export type WorkerThreadsOptions = {
  /** The module of the tasks; each is made by `workerTask`. */
  readonly entry: URL;
  readonly maxThreads: number;
  /** A thread whose event loop stands still for so long, in which no task says that it is alive, is ended. */
  readonly stuckAfterSeconds: number;
  /** How long a thread is kept without work. */
  readonly idleTimeout?: number;
  /** For tasks that wait for others most of their time; they end together where one of them is stuck. */
  readonly concurrentTasksPerWorker?: number;
  readonly resourceLimits?: ResourceLimits;
};

export type RunOptions = {
  /** The name under which the entry exports the task. */
  readonly name: string;
  readonly transferList?: readonly Transferable[];
  /** Ends the thread in the middle of whatever it does. For tasks that have their thread to themselves. */
  readonly signal?: AbortSignal;
};

export type WorkerThreads = {
  /** @throws TaskStuck; AbortError or the signal's reason; what the task throws, without its class */
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
 * How much less of the processor threads get than the thread that answers, where both want it (nice(2)):
 * it is short of nothing when a million events are read beside it.
 */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;
const LOOK_MS = 1_000;
const NEVER = new AbortController().signal;

/** Threads for work that must not hold up other requests. They are started when there is some. */
export function createWorkerThreads(given: WorkerThreadsOptions): WorkerThreads {
  const { entry, stuckAfterSeconds, ...options } = given;
  const pool = new Piscina({
    minThreads: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    ...options,
    filename: entry.href,
    niceIncrement: NICE,
    // Between tasks a worker would otherwise block its thread before its messages are out.
    atomics: "disabled",
  });
  // Tasks wait here: those of the pool's own queue are forgotten when a thread is ended before them.
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
 * Looks after a pulse once it has begun. Looks are counted, not seconds: while the whole process stands
 * still, as it does when it is suspended, there are none.
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
