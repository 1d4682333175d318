import { getPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { type Link, workerStream, workerTask } from "#infra/threads/task.ts";

/** The priority of the thread that asks. */
export const ownPriority = workerTask((_task: object): number => getPriority());

export const echo = workerTask(({ text }: { text: string }): string => text);

export const loopForever = workerStream(async function* (_task: object) {
  yield "begun";
  for (;;);
});

/** A match that would take longer than the universe has stood. */
export const matchForever = workerTask((_task: object): boolean =>
  /^(?:<!--[\s\S]*?-->|<![^>]*>)*<a/.test("<!---->".repeat(200)),
);

/** Keeps the event loop from turning, and says meanwhile that it is alive. */
export const workLong = workerTask(({ milliseconds }: { milliseconds: number }, alive): string => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) alive();
  return "done";
});

/** Waits for another, and does nothing meanwhile. */
export const waitLong = workerTask(
  ({ milliseconds }: { milliseconds: number }) =>
    new Promise<string>((resolve) => setTimeout(() => resolve("done"), milliseconds)),
);

/** Numbers from 0, and their sum; `made` has how many were made, and -1 once the task is over. */
export const count = workerStream(
  async function* (
    { to, made }: { to: number; made: SharedArrayBuffer },
    { alive }: Link,
  ): AsyncGenerator<number, number> {
    const counter = new Int32Array(made);
    let sum = 0;
    try {
      for (let i = 0; i < to; i += 1) {
        alive();
        Atomics.store(counter, 0, i + 1);
        yield i;
        sum += i;
      }
    } finally {
      Atomics.store(counter, 1, -1);
    }
    return sum;
  },
  { ahead: 4 },
);

/** Two numbers, then an error. */
export const failMidway = workerStream(async function* ({
  refuse,
}: {
  refuse: boolean;
}): AsyncGenerator<number> {
  yield 1;
  yield 2;
  throw refuse ? new Refusal("CONFLICT", "not now", { details: [1] }) : new RangeError("too far");
});

/** A number, and the end of its own thread. */
export const die = workerStream(async function* (_task: object): AsyncGenerator<number> {
  yield 1;
  await delay(50);
  process.exit(3);
});

/** The length of each piece, and of all. */
export const measure = workerStream(
  async function* ({ stopAt }: { stopAt: number }, { input }: Link): AsyncGenerator<number> {
    let all = 0;
    for await (const { byteLength } of input) {
      all += byteLength;
      yield byteLength;
      if (all >= stopAt) break;
    }
    return all;
  },
  { ahead: 1 },
);

/** The answers to questions that are asked together. */
export const askAll = workerStream(async function* (
  { questions }: { questions: number[] },
  { call }: Link,
) {
  return await Promise.all(
    questions.map((question) =>
      call<number, number>(question).catch((error: unknown) =>
        error instanceof Refusal ? error.code : String(error),
      ),
    ),
  );
});
