import { threadId } from "node:worker_threads";

/** What a worker thread is given: a task, and memory of both threads in which it shows that it is alive. */
export type WatchedTask<T> = { readonly task: T; readonly pulse: SharedArrayBuffer };

/** To be called in the middle of computations that keep the thread's event loop from turning for long. */
export type Alive = () => void;

/** Where the pulse has the number of its beats, and the thread that they come from (0: not begun). */
export const BEATS = 0;
export const THREAD = 1;
export const newPulse = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

const BEAT_MS = 250;

/**
 * An entry point of a worker thread. Its pulse beats as long as the thread's event loop turns, that is
 * while the task waits for others too; a loop that never ends stops it, which the watchdog sees.
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
