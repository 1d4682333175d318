import type { ResourceLimits } from "node:worker_threads";
import { Piscina } from "piscina";

export type WorkerThreadsOptions = {
  /** The module of the tasks. */
  readonly entry: URL;
  readonly maxThreads: number;
  /** How long a thread is kept without work. */
  readonly idleTimeout?: number;
  /** For tasks that wait for others most of their time. */
  readonly concurrentTasksPerWorker?: number;
  readonly resourceLimits?: ResourceLimits;
};

/**
 * How much less of the processor threads get than the thread that answers, where both want it (nice(2)):
 * it is short of nothing when a million events are read beside it.
 */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;

/** Threads for work that must not hold up other requests. They are started when there is some. */
export function createWorkerThreads({ entry, ...options }: WorkerThreadsOptions): Piscina {
  return new Piscina({
    minThreads: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    ...options,
    filename: entry.href,
    niceIncrement: NICE,
    // Between tasks a worker would otherwise block its thread before its messages are out.
    atomics: "disabled",
  });
}
