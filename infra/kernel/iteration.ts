/** Computations in steps that give way to others, and items taken ahead of their use. */

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

/** Yields the same items, with the next one already requested while one is processed. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      // A failure is thrown where the promise is awaited; after an early return it is ignored.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await items.return?.();
  }
}

/**
 * Takes the first item to find out whether there is one.
 * @returns all items, including the first, which can be read once; null without any
 */
export async function peek<T>(
  source: AsyncIterable<T> | Iterable<T>,
): Promise<AsyncIterable<T> | null> {
  const items = whole(source);
  const first = await items.next();
  if (first.done) return null;
  return (async function* () {
    yield first.value;
    yield* items;
  })();
}

async function* whole<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* source;
}
