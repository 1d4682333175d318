import { setImmediate } from "node:timers/promises";

/** A computation in steps. */
export type Steps<R> = Generator<undefined, R>;

/** So long a thread computes before others have their turn. */
const TURN_MS = 20;

export function atOnce<R>(steps: Steps<R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
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
