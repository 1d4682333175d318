import { totalmem } from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFairQueue, type QueueLimits } from "#infra/kernel/fair-queue.ts";
import { memoryLimit, readMemory } from "#infra/process/memory.ts";
import { Overloaded } from "#services/errors.ts";
import { createPace } from "#services/gateway/connections.ts";
import { createStreamPlaces } from "#services/gateway/feed/streams.ts";
import { memoryCheck } from "#services/gateway/health/checks.ts";
import { THREADS } from "#services/threads.ts";
import {
  ANSWER_LIMITS,
  type AnswerKind,
  type AnswerPlace,
  type AnswerPlaces,
  type AnswerScope,
  createAnswerPlaces,
} from "#services/turns.ts";
import { testRows } from "../../support/test-rows.ts";

const MIB = 1024 * 1024;

type Given = AnswerPlace & {
  /** The answer is sent, or its client has left. */
  readonly end: () => void;
};

function answerOf(places: AnswerPlaces, caller: string, network = caller): Given {
  const releases: (() => unknown)[] = [];
  let isOver = false;
  const scope: AnswerScope = {
    signal: new AbortController().signal,
    own: (release) => void (isOver ? release() : releases.push(release)),
    cut: () => undefined,
  };
  const place = places.of({ caller, network, isGuest: false }, scope);
  return {
    ...place,
    end: () => {
      isOver = true;
      for (const release of releases.splice(0).reverse()) release();
    },
  };
}

const open = () => createAnswerPlaces({ limits: ANSWER_LIMITS });
const counts = (places: AnswerPlaces, kind: AnswerKind) => {
  const found = places.use().kinds.find((use) => use.kind === kind);
  return [found?.running, found?.waiting];
};

const heldBytes = (places: AnswerPlaces, kind: AnswerKind) =>
  places.use().kinds.find((use) => use.kind === kind)?.heldBytes;

/** Whether it is there without anything else happening. */
async function isThere(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, "later"));
  return (await Promise.race([promise, later])) !== "later";
}

describe.each([
  { kind: "exports", ofOne: 3 },
  { kind: "uploads", ofOne: 4 },
] as const)("of one user's $kind", ({ kind, ofOne }) => {
  test(`${ofOne} run, twelve wait, and the next is told to come again`, async () => {
    const places = open();
    const answers = Array.from({ length: ofOne + 12 }, () => answerOf(places, "user a"));
    const turns = answers.map(({ turn }) => turn(kind));
    expect(counts(places, kind)).toEqual([ofOne, 12]);
    await expect(answerOf(places, "user a").turn(kind)).rejects.toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      message: `Too many ${kind} of yours, or of your network, wait already`,
      retryAfterSeconds: expect.any(Number),
    });
    await answerOf(places, "user b").turn(kind);
    const next = turns[ofOne] ?? Promise.reject();
    expect(await isThere(next)).toBe(false);
    answers[0]?.end();
    await next;
    for (const { end } of answers.slice(1, ofOne + 1)) end();
    await Promise.all(turns.slice(0, 2 * ofOne + 1));
  });

  test("who leaves gives the place back", async () => {
    const places = open();
    const answers = Array.from({ length: ofOne + 12 }, () => answerOf(places, "user a"));
    const turns = answers.map(({ turn }) => turn(kind).catch((error: Error) => error.message));
    answers[9]?.end();
    expect(await turns[9]).toContain("left");
    const next = answerOf(places, "user a");
    expect(await isThere(next.turn(kind))).toBe(false);
    expect(counts(places, kind)).toEqual([ofOne, 12]);
  });
});

test("two networks that hold all the exports they may leave some to a third, and to a fourth", async () => {
  const places = open();
  for (const network of ["a", "b"]) {
    for (let i = 0; i < 16; i += 1) {
      answerOf(places, `${i} of ${network}`, network)
        .turn("exports")
        .catch(() => undefined);
    }
  }
  for (const network of ["c", "d"]) await answerOf(places, network).turn("exports");
});

test("a viewer with eight unread exports leaves some to two others at the same address", async () => {
  const places = open();
  for (let i = 0; i < 8; i += 1) void answerOf(places, "user a", "network").turn("exports");
  for (const user of ["user b", "user c"]) await answerOf(places, user, "network").turn("exports");
  expect(counts(places, "exports")).toEqual([5, 5]);
});

test("large pages of one network wait their turn by the hundred, and beyond are told to come again", async () => {
  const places = open();
  const { running, waitingOfOne } = ANSWER_LIMITS.pages;
  const answers = Array.from({ length: running + waitingOfOne }, () => answerOf(places, "a"));
  for (const { turn } of answers) turn("pages").catch(() => undefined);
  expect(waitingOfOne).toBeGreaterThanOrEqual(64);
  expect(counts(places, "pages")).toEqual([running, waitingOfOne]);
  await expect(answerOf(places, "a").turn("pages")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    retryAfterSeconds: expect.any(Number),
  });
});

describe("what answers to one network hold", () => {
  test("makes its further large pages wait, while small answers and other networks go on", async () => {
    const places = open();
    const stalled = answerOf(places, "user a", "network");
    (await stalled.turn("pages", 8 * MIB))();
    stalled.holds(30 * MIB);
    const next = answerOf(places, "user b", "network");
    const waiting = next.turn("pages", 8 * MIB);
    expect(await isThere(waiting)).toBe(false);
    for (let i = 0; i < 31; i += 1) {
      await answerOf(places, "user b", "network").turn("others", MIB);
    }
    (await answerOf(places, "user c", "elsewhere").turn("pages", 8 * MIB))();
    stalled.holds(20 * MIB);
    await waiting;
  });

  test("makes its small answers wait too where those are many, until they are taken", async () => {
    const places = open();
    const stalled = answerOf(places, "a");
    await stalled.turn("others");
    stalled.holds(32 * MIB);
    const waiting = answerOf(places, "a").turn("others", 1);
    expect(await isThere(waiting)).toBe(false);
    await answerOf(places, "b").turn("others", 1);
    stalled.end();
    await waiting;
    expect(heldBytes(places, "others")).toBe(2);
  });

  test("is expected before it is there: many that come at once wait too", async () => {
    const places = open();
    const turns = Array.from({ length: 100 }, () => answerOf(places, "a").turn("others", MIB));
    expect(counts(places, "others")).toEqual([32, 68]);
    expect(await isThere(turns[32] ?? Promise.reject())).toBe(false);
  });

  test("is nothing once they are over, whatever is still made of them", async () => {
    const places = open();
    const left = answerOf(places, "a");
    (await left.turn("pages", MIB))();
    left.end();
    left.holds(100 * MIB);
    expect(heldBytes(places, "pages")).toBe(0);
  });

  test("is let through, however large, where it is alone", async () => {
    const places = open();
    const large = answerOf(places, "a");
    await large.turn("pages", 1_000 * MIB);
    large.end();
    expect(heldBytes(places, "pages")).toBe(0);
  });
});

test("what all networks hold makes further large pages wait", async () => {
  const places = open();
  const answers = Array.from({ length: 5 }, (_, i) => answerOf(places, `network ${i}`));
  for (const answer of answers) {
    (await answer.turn("pages"))();
    answer.holds(25 * MIB);
  }
  const waiting = answerOf(places, "another").turn("pages", 8 * MIB);
  expect(await isThere(waiting)).toBe(false);
  answers[0]?.end();
  await waiting;
});

test("a turn that costs no memory leaves the answer's bytes where they are", async () => {
  const places = open();
  const answer = answerOf(places, "a");
  await answer.turn("others", MIB);
  (await answer.turn("analyses"))();
  answer.holds(2 * MIB);
  expect(["others", "analyses"].map((kind) => heldBytes(places, kind as AnswerKind))).toEqual([
    2 * MIB,
    0,
  ]);
  answer.end();
  expect(heldBytes(places, "others")).toBe(0);
});

test("analyses have their turn one at a time, and go round by caller", async () => {
  const places = open();
  const [first, second, third, other] = ["a", "a", "a", "b"].map((name) => answerOf(places, name));
  const leave = await first?.turn("analyses");
  const begun: string[] = [];
  const turns = [
    second?.turn("analyses").then((done) => [begun.push("a"), done()]),
    third?.turn("analyses").then((done) => [begun.push("a"), done()]),
    other?.turn("analyses").then((done) => [begun.push("b"), done()]),
  ];
  expect(counts(places, "analyses")).toEqual([1, 3]);
  leave?.();
  await Promise.all(turns);
  expect(begun).toEqual(["a", "b", "a"]);
});

test("an answer whose client has left has no turn, though it is free", async () => {
  const places = open();
  const left = answerOf(places, "a");
  left.end();
  await expect(left.turn("analyses")).rejects.toThrow("left");
  expect(counts(places, "analyses")).toEqual([0, 0]);
});

/** They last a moment each, and there is one at a time; parts are written for nobody. */
const BY_ONE = ["pages", "analyses", "plots", "parts"];

const queues: readonly (readonly [string, QueueLimits])[] = [
  ...Object.entries(ANSWER_LIMITS),
  ...Object.entries(THREADS).map(([name, { queue }]) => [name, queue] as const),
];

describe.each(queues.filter(([name]) => !BY_ONE.includes(name)))("the queue of %s", (_, limits) => {
  test("leaves a place to the next caller at one's address, and to the next network, whatever one caller asks", () => {
    const queue = createFairQueue(limits);
    const enter = (caller: string, network: string) =>
      queue.enter({ caller, network, isGuest: false });
    const most = Math.min(limits.waitingOfOne, 500);
    for (let i = 0; i < most; i += 1) enter("user a", "network");
    expect(enter("user b", "network").isWaiting()).toBe(false);
    expect(enter("user c", "elsewhere").isWaiting()).toBe(false);
  });

  test("takes guests of fourteen networks that ask for all they may, a further one, and an editor", () => {
    const queue = createFairQueue(limits);
    const enter = (network: string, isGuest = true) =>
      queue.enter({ caller: network, network, isGuest });
    for (let network = 0; network < 14; network += 1) {
      for (let i = 0; i < 8; i += 1) enter(`${network}`);
    }
    enter("another guest");
    expect(enter("an editor", false)).toBeDefined();
  });
});

function start(limit: number) {
  let nowMs = 0;
  const places = createStreamPlaces({ limit, now: () => nowMs });
  const given: string[] = [];
  return {
    given,
    size: places.size,
    pass: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
    take: (name: string, network: string, caller = `network ${network}`) =>
      places.take({ caller, network }, () => given.push(name)),
  };
}

describe("the places of streams", () => {
  test("one network alone takes all places, and is refused more while its streams are not idle", () => {
    const { take, given, size, pass } = start(3);
    for (const name of ["a", "b", "c"]) take(name, "1");
    pass(59);
    expect(() => take("d", "1")).toThrow(Overloaded);
    pass(1);
    take("d", "1");
    expect([given, size()]).toEqual([["a"], 3]);
  });

  test("the network with the most streams gives up the longest silent one for another network", () => {
    const { take, given, pass } = start(4);
    const [a, b] = ["a", "b", "c", "d"].map((name) => take(name, "1"));
    pass(1);
    a?.touch();
    take("e", "2");
    b?.leave();
    take("f", "2");
    expect(given).toEqual(["b", "c"]);
    // Each has its share.
    expect(() => take("g", "2")).toThrow(Overloaded);
    expect(() => take("g", "1")).toThrow(Overloaded);
  });

  test("an account with streams from many networks gives them up for others", () => {
    const { take, given } = start(4);
    for (const network of ["1", "2", "3"]) take(network, network, "user many");
    take("x", "4", "user one");
    take("y", "5", "user other");
    expect(given).toEqual(["1"]);
  });

  test("where everybody has one stream, only an idle one is given up", () => {
    const { take, given, pass } = start(2);
    take("a", "1");
    take("b", "2");
    expect(() => take("c", "3")).toThrow(Overloaded);
    pass(60);
    take("c", "3");
    expect(given).toEqual(["a"]);
  });

  test("a stream that has left is never given up", () => {
    const { take, given, size } = start(1);
    const place = take("a", "1");
    place.leave();
    place.touch();
    take("b", "2").leave();
    expect([given, size()]).toEqual([[], 0]);
  });
});

const LIMITS = { windowMs: 60, leastBytes: 100 };

type Tick = { readonly afterMs: number; readonly bytes: number; readonly rests: boolean };

const ticks = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 40 }),
    bytes: fc.nat(90),
    rests: fc.nat(9).map((n) => n === 0),
  }),
  { maxLength: 40 },
);

/** Whether less than the least came since the last look that is a window or more ago, without a rest. */
function expected(past: readonly Tick[]): boolean {
  const since = past.slice(past.findLastIndex(({ rests }) => rests) + 1);
  let age = 0;
  let bytes = 0;
  for (const tick of since.toReversed()) {
    if (age >= LIMITS.windowMs) return bytes < LIMITS.leastBytes;
    age += tick.afterMs;
    bytes += tick.bytes;
  }
  return false;
}

test("a transfer is too slow exactly where a whole window brought less than the least", () => {
  fc.assert(
    fc.property(ticks, (all) => {
      const pace = createPace(LIMITS);
      let atMs = 0;
      let bytes = 0;
      for (const [i, tick] of all.entries()) {
        atMs += tick.afterMs;
        bytes += tick.bytes;
        if (tick.rests) pace.rest();
        else expect(pace.isTooSlow(atMs, bytes)).toBe(expected(all.slice(0, i + 1)));
      }
    }),
  );
});

const check = (heapMib: number, residentMib: number) =>
  memoryCheck(() => ({
    heap: heapMib * MIB,
    heapLimit: 100 * MIB,
    resident: residentMib * MIB,
    residentLimit: 1_000 * MIB,
  }))();

testRows(
  "the memory check is unhealthy above 90 % of the heap or of the resident memory",
  [
    [90, 900, "healthy"],
    [91, 100, "unhealthy"],
    [10, 901, "unhealthy"],
  ] as const,
  async (heap, resident, status) => {
    expect((await check(heap, resident)).status).toBe(status);
  },
);

test("the memory check tells both, each against its limit", async () => {
  expect((await check(50, 250)).message).toBe(
    "Heap 50 MB of 100 MB (50%), resident 250 MB of 1000 MB (25%)",
  );
});

test("buffers count before they are touched, and the limit is never more than the machine has", () => {
  const before = readMemory().resident;
  const buffer = Buffer.allocUnsafeSlow(2 * before);
  expect(readMemory().resident).toBeGreaterThan(buffer.length);
  expect(memoryLimit()).toBeGreaterThan(0);
  expect(memoryLimit()).toBeLessThanOrEqual(totalmem());
});
