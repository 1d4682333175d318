import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { QUEUE, useThreads } from "./use-threads.ts";

/** Of `count`: the items that may wait for the receiver. */
const AHEAD = 4;

const threads = useThreads(30);
const workers = threads();

function counting(to: number) {
  const made = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(made);
  const isOver = async (): Promise<true> => {
    while (Atomics.load(counter, 1) !== -1) await delay(5);
    return true;
  };
  return { task: { to, made }, made: () => Atomics.load(counter, 0), isOver };
}

async function all<I, R>(items: AsyncGenerator<I, R>): Promise<{ items: I[]; result: R }> {
  const read: I[] = [];
  for (;;) {
    const { done, value } = await items.next();
    if (done) return { items: read, result: value };
    read.push(value);
  }
}

async function* pieces(sizes: readonly number[], ended?: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (const size of sizes) yield Buffer.alloc(size);
  } finally {
    ended?.();
  }
}

describe("a stream from a thread", () => {
  test("has the items in order, then the result", async () => {
    const { items, result } = await all(workers.stream("count", counting(500).task, NOBODY));
    expect(items).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(result).toBe((499 * 500) / 2);
  });

  test("ends with the error of its task, after the items before it", async () => {
    const items = workers.stream("failMidway", { refuse: false }, NOBODY);
    expect((await items.next()).value).toBe(1);
    expect((await items.next()).value).toBe(2);
    await expect(items.next()).rejects.toThrow(new RangeError("too far"));
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  test("ends with a refusal of its task as a refusal", async () => {
    const failing = all(workers.stream("failMidway", { refuse: true }, NOBODY));
    await expect(failing).rejects.toThrow(Refusal);
    await expect(workers.run("failMidway", { refuse: true }, NOBODY)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "not now",
      details: [1],
    });
  });

  test("does not run further ahead of its receiver than allowed", async () => {
    const { task, made } = counting(100);
    const items = workers.stream("count", task, NOBODY);
    for (let taken = 1; taken <= 20; taken += 1) {
      await items.next();
      if (taken % 5 === 0) await delay(20);
      expect(made()).toBeLessThanOrEqual(taken + AHEAD);
    }
    await items.return(0);
  });

  test("stops when its receiver leaves early, and its thread does other tasks", async () => {
    const own = threads({ queue: { ...QUEUE, running: 1 } });
    const { task, made, isOver } = counting(1_000_000);
    for await (const item of own.stream("count", task, NOBODY)) if (item === 10) break;
    expect(await isOver()).toBe(true);
    expect(made()).toBeLessThan(30);
    expect(await own.run("echo", { text: "next" }, NOBODY)).toBe("next");
  });

  test("ends its thread at once where threads of its kind do, when its receiver leaves early", async () => {
    const own = threads({ queue: { ...QUEUE, running: 1 }, endsThread: true });
    for await (const _ of own.stream("loopForever", {}, NOBODY)) break;
    expect(await own.run("echo", { text: "next" }, NOBODY)).toBe("next");
  });

  test("ends with an error when its thread dies", async () => {
    const own = threads({ queue: { ...QUEUE, running: 1 } });
    const items = own.stream("die", {}, NOBODY);
    expect((await items.next()).value).toBe(1);
    await expect(items.next()).rejects.toThrow(/exit/);
    expect(await own.run("echo", { text: "next" }, NOBODY)).toBe("next");
  });

  test("ends with the signal's reason, and does not begin after it", async () => {
    const leaving = new AbortController();
    const items = workers.stream("loopForever", {}, { ...NOBODY, signal: leaving.signal });
    await items.next();
    leaving.abort(new Error("the client has left"));
    await expect(items.next()).rejects.toThrow("the client has left");
    const late = workers.stream("count", counting(1).task, { ...NOBODY, signal: leaving.signal });
    await expect(late.next()).rejects.toThrow("the client has left");
  });
});

describe("pieces for a thread", () => {
  test("arrive in order, and their end with them", async () => {
    const input = pieces([3, 1, 2]);
    const { items, result } = await all(
      workers.stream("measure", { stopAt: 9 }, NOBODY, { input }),
    );
    expect(items).toEqual([3, 1, 2]);
    expect(result).toBe(6);
  });

  test("are fetched no further than one ahead of the task", async () => {
    let fetched = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces(Array.from({ length: 50 }, () => 1))) {
        fetched += 1;
        yield piece;
      }
    }
    const items = workers.stream("measure", { stopAt: 99 }, NOBODY, { input: counted() });
    for (let taken = 1; taken <= 10; taken += 1) {
      await items.next();
      await delay(5);
      // One is with the task, one waits in its thread.
      expect(fetched).toBeLessThanOrEqual(taken + 2);
    }
    await items.return(0);
  });

  test("are given up when the task needs no more, or its receiver leaves", async () => {
    const ended: string[] = [];
    const input = pieces([1, 1, 1, 1, 1, 1], () => ended.push("enough"));
    expect(await workers.run("measure", { stopAt: 2 }, NOBODY)).toBe(0);
    const { result } = await all(workers.stream("measure", { stopAt: 2 }, NOBODY, { input }));
    expect(result).toBe(2);
    const others = pieces([1, 1, 1, 1, 1, 1], () => ended.push("left"));
    for await (const _ of workers.stream("measure", { stopAt: 9 }, NOBODY, { input: others }))
      break;
    expect(ended).toEqual(["enough", "left"]);
  });

  test("that fail end the stream with their own error", async () => {
    const fault = new Error("the database is gone");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* pieces([1, 1]);
      throw fault;
    }
    const items = workers.stream("measure", { stopAt: 9 }, NOBODY, { input: failing() });
    await expect(all(items)).rejects.toBe(fault);
  });
});

describe("a thread's calls", () => {
  test("are answered, several at a time, with results and refusals", async () => {
    const waiting: (() => void)[] = [];
    const answer = async (question: number): Promise<number> => {
      if (question === 0) throw new Refusal("NOT_FOUND");
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const go of waiting.reverse()) go();
      });
      return question * 2;
    };
    const asked = workers.stream("askAll", { questions: [1, 0, 2, 3] }, NOBODY, { answer });
    expect((await all(asked)).result).toEqual([2, "NOT_FOUND", 4, 6]);
  });

  test("are given up when the thread dies", async () => {
    const leaving = new AbortController();
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const answer = (_: number, over: AbortSignal): Promise<void> => {
      over.addEventListener("abort", () => resolve());
      leaving.abort(new Error("the client has left"));
      return new Promise(() => {});
    };
    const asked = workers.stream(
      "askAll",
      { questions: [1] },
      { ...NOBODY, signal: leaving.signal },
      { answer },
    );
    await expect(all(asked)).rejects.toThrow("the client has left");
    await gone;
  });
});
