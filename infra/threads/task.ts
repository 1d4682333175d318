import { threadId } from "node:worker_threads";

/** A worker thread's task, and the shared memory in which the thread shows that it is alive. */
export type WatchedTask<T> = { readonly task: T; readonly pulse: SharedArrayBuffer };

/** Call it inside computations that block the thread's event loop for long. */
export type Alive = () => void;

/** Indexes in the pulse: the number of beats, and the thread that beats (0: not started). */
export const BEATS = 0;
export const THREAD = 1;
export const newPulse = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

const BEAT_MS = 250;

/**
 * An entry point of a worker thread. The pulse beats while the thread's event loop turns, including
 * while the task waits. An endless loop stops it, which the watchdog detects.
 */
export function workerTask<T, R>(
  work: (task: T, alive: Alive) => R | Promise<R>,
): (given: WatchedTask<T>) => Promise<R> {
  return async ({ task, pulse }) => {
    const beats = new Int32Array(pulse);
    const alive = (): void => {
      Atomics.add(beats, BEATS, 1);
    };
    Atomics.store(beats, THREAD, threadId);
    const timer = setInterval(alive, BEAT_MS);
    try {
      return await work(task, alive);
    } finally {
      clearInterval(timer);
    }
  };
}
