import { describe, expect, test } from "vitest";
import type { AnswerPlace } from "#services/gateway/capacity/answer-place.ts";
import { type AnswerPlaces, createAnswerPlaces } from "#services/gateway/capacity/answer-places.ts";
import type { AnswerScope } from "#services/gateway/capacity/answer-scope.ts";
import { ANSWER_LIMITS, type AnswerKind } from "#services/gateway/capacity/queue-limits.ts";

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
