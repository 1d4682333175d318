import fc from "fast-check";
import type { Message } from "kafkajs";
import { expect, test } from "vitest";
import { createSizedSends, type SizedMessage } from "#infra/brokers/kafka.ts";
import { QueueFull } from "#infra/kernel/fair-queue.ts";
import { atOnce, inTurns, type Steps, takenBetween } from "#infra/kernel/iteration.ts";
import { createRecent, createShared } from "#infra/kernel/recent.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import { collectingLogger } from "../support/logger.ts";

const LONG_MS = 30;

/** Steps of 30 ms each, of which each is noted when it is done. */
function* computing(steps: number, done: (step: number) => void): Steps<string> {
  for (let i = 0; i < steps; i += 1) {
    const until = performance.now() + LONG_MS;
    while (performance.now() < until);
    done(i);
    yield;
  }
  return "result";
}

test("between long steps other work of the thread has its turn", async () => {
  const order: string[] = [];
  const working = inTurns(computing(3, (i) => order.push(`step ${i}`)));
  setImmediate(() => order.push("other"));
  expect(await working).toBe("result");
  expect(order[0]).toBe("step 0");
  expect(order.indexOf("other")).toBeLessThan(order.indexOf("step 2"));
});

test("at once nothing else has", () => {
  const order: string[] = [];
  setImmediate(() => order.push("other"));
  expect(atOnce(computing(2, (i) => order.push(`step ${i}`)))).toBe("result");
  expect(order).toEqual(["step 0", "step 1"]);
});

test("what steps leave is taken after each", () => {
  const left: number[] = [];
  const taken = takenBetween(
    computing(2, (i) => left.push(i)),
    () => left.splice(0),
  );
  expect(taken.next()).toEqual({ done: false, value: [0] });
  expect(taken.next()).toEqual({ done: false, value: [1] });
  expect(taken.next()).toEqual({ done: true, value: "result" });
});

test("an error of a step is that of the computation", async () => {
  const failing = () =>
    computing(1, () => {
      throw new RangeError("failed");
    });
  await expect(inTurns(failing())).rejects.toThrow(RangeError);
  expect(() => atOnce(failing())).toThrow(RangeError);
});

test("the values kept last are there, as many as their weights allow", () => {
  const recent = createRecent<string>(10);
  recent.keep("a", "A", 4);
  recent.keep("b", "B", 4);
  recent.keep("a", "A");
  recent.keep("c", "C", 4);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual(["A", undefined, "C"]);
  recent.keep("d", "D", 11);
  expect(["a", "c", "d"].map((key) => recent.get(key))).toEqual([undefined, undefined, undefined]);
  recent.keep("e", "E", 10);
  expect(recent.get("e")).toBe("E");
});

test("of equal cost the oldest goes first; what cost more outlives as much of what is cheap as it cost more", () => {
  const recent = createRecent<string>(4);
  recent.keep("dear", "D", 1, 7);
  const cheap = Array.from({ length: 40 }, (_, i) => String(i));
  const lived = cheap.findIndex((key) => {
    recent.keep(key, key, 1, 0);
    return recent.get("dear") === undefined;
  });
  // Eight of cheap ones are as dear: each that goes raises what stays by one.
  expect(lived).toBeGreaterThan(7);
  expect(cheap.slice(lived - 3, lived + 1).map(recent.get)).toEqual(
    cheap.slice(lived - 3, lived + 1),
  );
  expect(recent.get(cheap[lived - 4] ?? "")).toBeUndefined();
});

test("a value is made once for all who ask, again after a failure, and when it was dropped", async () => {
  const made: string[] = [];
  const shared = createShared<string>(10, (value) => value.length);
  const make = (value: string) => async () => {
    made.push(value);
    if (value === "") throw new Error("nothing");
    return value;
  };
  await Promise.all([shared("a", make("aaaaaa")), shared("a", make("aaaaaa"))]);
  expect(made).toEqual(["aaaaaa"]);
  await expect(shared("b", make(""))).rejects.toThrow("nothing");
  await shared("b", make("bbbbbb"));
  await shared("a", make("aaaaaa"));
  expect(made).toEqual(["aaaaaa", "", "bbbbbb", "aaaaaa"]);
  expect(["a", "b"].map(shared.has)).toEqual([true, false]);
});

/** A work that ends when it is told to, or with its signal. */
function heldWork() {
  const held = Promise.withResolvers<string>();
  const works: AbortSignal[] = [];
  const work = (signal: AbortSignal): Promise<string> => {
    works.push(signal);
    signal.addEventListener("abort", () => held.reject(signal.reason));
    return held.promise;
  };
  return { work, works, resolve: held.resolve };
}

test("whoever asks first and leaves takes nothing from the others", async () => {
  const shared = createShared<string>(10);
  const { work, works, resolve } = heldWork();
  const leaving = new AbortController();
  const first = shared("a", work, leaving.signal);
  const second = shared("a", work, new AbortController().signal);
  leaving.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  resolve("made");
  expect(await second).toBe("made");
  expect(works.map(({ aborted }) => aborted)).toEqual([false]);
});

test("a work ends when the last who asks for it leaves, and begins anew for the next", async () => {
  const shared = createShared<string>(10);
  const { work, works } = heldWork();
  const leaving = [new AbortController(), new AbortController()];
  const asked = leaving.map(({ signal }) => shared("a", work, signal));
  const left = Promise.allSettled(asked);
  for (const controller of leaving) controller.abort(new Error("gone"));
  expect((await left).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(works.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await shared("a", async () => "anew")).toBe("anew");
  expect(await shared("a", work)).toBe("anew");
});

test("whoever asked first and has too many waiting refuses nobody else", async () => {
  const shared = createShared<string>(10);
  const full = Promise.withResolvers<string>();
  const first = shared("a", () => full.promise);
  const second = shared("a", async () => "made");
  full.reject(new QueueFull(true));
  await expect(first).rejects.toThrow(QueueFull);
  expect(await second).toBe("made");
});

const PARTITIONS = 3;
const partitionOf = ({ key }: Message) => Number(key);

/** Sends to a topic that refuses batches of more bytes, and takes all after so many waits. */
function sendsTo(limit: number, waitsUntilRaised: number) {
  const sent: SizedMessage[] = [];
  const refused: number[] = [];
  const waits: { readonly ms: number; readonly sent: number }[] = [];
  const ending = new AbortController();
  const send = createSizedSends({
    send: async (batch) => {
      const bytes = batch.reduce((sum, message) => sum + message.bytes, 0);
      const isTooLarge = bytes > limit && waits.length < waitsUntilRaised;
      const reason = Object.assign(new Error("too large"), { type: "MESSAGE_TOO_LARGE" });
      if (isTooLarge) throw new Error("not sent", { cause: reason });
      sent.push(...batch);
    },
    partitionOf,
    onRefused: async (bytes) => void refused.push(bytes),
    wait: async (ms) => void waits.push({ ms, sent: sent.length }),
    signal: ending.signal,
  });
  return { send, sent, refused, waits, ending };
}

const byPartition = (messages: readonly SizedMessage[]) =>
  Array.from({ length: PARTITIONS }, (_, i) => messages.filter((one) => partitionOf(one) === i));

const message = fc.record({
  key: fc.integer({ min: 0, max: PARTITIONS - 1 }).map(String),
  value: fc.string(),
  bytes: fc.integer({ min: 1, max: 20 }),
});

test("messages arrive once and in order of their partition, only those behind a larger one than the limit wait", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 30 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (messages, limit, waitsUntilRaised) => {
        const { send, sent, refused, waits } = sendsTo(limit, waitsUntilRaised);
        await send(messages);
        expect(byPartition(sent)).toEqual(byPartition(messages));
        const fitting = byPartition(messages).map((own) => {
          const first = own.findIndex(({ bytes }) => bytes > limit);
          return first < 0 ? own.length : first;
        });
        const isRefused = messages.some(({ bytes }) => bytes > limit);
        expect(waits.map((each) => each.sent)).toEqual(
          Array(isRefused ? waitsUntilRaised : 0).fill(fitting.reduce((sum, n) => sum + n, 0)),
        );
        expect(refused).toHaveLength(waits.length);
        for (const bytes of refused) expect(bytes).toBeGreaterThan(limit);
      },
    ),
  );
});

test("a message that is refused is tried again after waits that grow to a minute", async () => {
  const { send, waits } = sendsTo(1, 9);
  await send([{ key: "0", value: "large", bytes: 2 }]);
  const longest = [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000);
  expect(waits).toHaveLength(longest.length);
  for (const [i, most] of longest.entries()) {
    expect(waits[i]?.ms).toBeGreaterThanOrEqual(most / 2);
    expect(waits[i]?.ms).toBeLessThanOrEqual(most);
  }
});

test("a message that is refused is not tried again after an end", async () => {
  const { send, sent, ending } = sendsTo(1, 9);
  ending.abort(new Error("the end"));
  await expect(send([{ key: "0", value: "large", bytes: 2 }])).rejects.toThrow("the end");
  expect(sent).toEqual([]);
});

const BACKOFF = { baseMs: 1, capMs: 2 };

test("supervised work is begun again whenever it throws or ends, until its signal aborts", async () => {
  const { log: logger, lines } = collectingLogger();
  const stopping = new AbortController();
  let runs = 0;
  const work = async (): Promise<void> => {
    runs += 1;
    if (runs === 5) stopping.abort();
    if (runs % 2 === 0) throw new Error("a fault");
  };
  await supervise(work, { signal: stopping.signal, logger, name: "w", backoff: BACKOFF });
  expect(runs).toBe(5);
  expect(lines.map(({ work: name, msg }) => [name, msg])).toEqual([
    ["w", "interrupted, tried again"],
    ["w", "interrupted, tried again"],
  ]);
});

test("supervised work is given up at a fault that no repetition heals", async () => {
  const { log: logger } = collectingLogger();
  const { signal } = new AbortController();
  const options = { signal, logger, name: "w", backoff: BACKOFF };
  const isFatal = (error: unknown) => error instanceof RangeError;
  let runs = 0;
  const work = async (): Promise<void> => {
    runs += 1;
    throw runs < 3 ? new Error("passing") : new RangeError("for good");
  };
  await expect(supervise(work, { ...options, isFatal })).rejects.toThrow("for good");
  expect(runs).toBe(3);
});

test("supervised work does not begin when its signal has aborted before", async () => {
  const { log: logger } = collectingLogger();
  let runs = 0;
  const work = async (): Promise<void> => {
    runs += 1;
  };
  await supervise(work, { signal: AbortSignal.abort(), logger, name: "w", backoff: BACKOFF });
  expect(runs).toBe(0);
});
