import { threadId } from "node:worker_threads";

/** Call it inside computations that block the thread's event loop for long. */
export type Alive = () => void;

/** Indexes in the pulse: the number of beats, and the thread that beats (0: not started). */
const BEATS = 0;
const THREAD = 1;
const BEAT_MS = 250;
const LOOK_MS = 1_000;

/** Shared memory in which a thread shows that it is alive. */
export const newPulse = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

/**
 * Beats while the thread's event loop turns, also while its task waits; an endless loop stops it.
 */
export function beat(pulse: SharedArrayBuffer): {
  readonly alive: Alive;
  readonly stop: () => void;
} {
  const beats = new Int32Array(pulse);
  const alive = (): void => {
    Atomics.add(beats, BEATS, 1);
  };
  Atomics.store(beats, THREAD, threadId);
  const timer = setInterval(alive, BEAT_MS);
  return { alive, stop: () => clearInterval(timer) };
}

/** Watches a pulse once it has begun. It counts checks: a suspended process makes none. */
export function watch(
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
