import { setImmediate } from "node:timers/promises";

/** A computation in steps. */
export type Steps<R> = Generator<undefined, R>;

/** So long a thread computes before others have their turn. */
const TURN_MS = 20;

// biome-ignore lint/correctness/useYield: there are no others
export function* inOneStep<R>(compute: () => R): Steps<R> {
  return compute();
}

export function atOnce<R>(steps: Steps<R>, between: () => void = () => undefined): R {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    between();
  }
}

/** Gives what `take` takes after each step but the last. */
export function* takenBetween<T, R>(steps: Steps<R>, take: () => T): Generator<T, R> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield take();
  }
}

/** Lets other work of the thread have its turn between steps. */
export async function inTurns<R>(steps: Steps<R>): Promise<R> {
  for (let since = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
