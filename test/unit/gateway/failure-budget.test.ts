import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFailureBudget } from "#services/gateway/rate-limits.ts";

const WINDOW_MS = 1_000;

/** A budget of two failures whose clock is set by hand. */
function budgetAt(clock: { ms: number }, maxKeys = 10) {
  const budget = createFailureBudget({
    max: 2,
    windowMs: WINDOW_MS,
    maxKeys,
    now: () => clock.ms,
  });
  const fail = async (key: string) => {
    const attempt = await budget.begin(key);
    attempt?.end(true);
    return attempt !== null;
  };
  return { ...budget, fail };
}

test("a failure budget is whole again when the window that its first failure began is over", async () => {
  const clock = { ms: 0 };
  const { fail, stateOf } = budgetAt(clock);
  expect(await fail("a")).toBe(true);
  clock.ms = 600;
  expect(await fail("a")).toBe(true);
  expect(stateOf("a")).toEqual({ max: 2, remaining: 0, resetSeconds: 1 });
  expect(await fail("a")).toBe(false);
  expect(await fail("b")).toBe(true);
  clock.ms = WINDOW_MS;
  expect(stateOf("a").remaining).toBe(2);
  expect(await fail("a")).toBe(true);
});

test("a failure budget counts a failure in the window that it falls into", async () => {
  const clock = { ms: 0 };
  const { begin, fail, stateOf } = budgetAt(clock);
  await fail("a");
  const attempt = await begin("a");
  clock.ms = WINDOW_MS;
  attempt?.end(true);
  expect(stateOf("a")).toEqual({ max: 2, remaining: 1, resetSeconds: 1 });
});

test("a failure budget has an attempt wait while those under way may still spend it", async () => {
  const { begin } = budgetAt({ ms: 0 });
  const [first, second] = [await begin("a"), await begin("a")];
  const waiting = [begin("a"), begin("a"), begin("a")];
  const ended: unknown[] = [];
  for (const attempt of waiting) void attempt.then((it) => ended.push(it !== null));
  await setImmediate();
  expect(ended).toEqual([]);
  first?.end(false);
  await setImmediate();
  expect(ended).toEqual([true]);
  second?.end(true);
  await setImmediate();
  expect(ended).toEqual([true]);
  (await waiting[0])?.end(true);
  await setImmediate();
  expect(ended).toEqual([true, false, false]);
});

test("a failure budget forgets the key unseen longest, and keeps none that has not failed", async () => {
  const { begin, fail, stateOf } = budgetAt({ ms: 0 }, 3);
  for (const key of ["a", "a", "b"]) await fail(key);
  for (const key of ["x", "y", "z"]) (await begin(key))?.end(false);
  expect(stateOf("a").remaining).toBe(0);
  for (const key of ["c", "a", "d"]) await fail(key);
  expect(stateOf("b").remaining).toBe(2);
  expect(stateOf("a").remaining).toBe(0);
});

test("a failure budget lets an attempt go on that waits when its key is forgotten", async () => {
  const { begin } = budgetAt({ ms: 0 }, 1);
  const running = [await begin("a"), await begin("a")];
  const waiting = [begin("a"), begin("a"), begin("a")];
  (await begin("b"))?.end(true);
  for (const attempt of running) attempt?.end(false);
  for (const attempt of waiting) void attempt.then((it) => it?.end(false));
  expect(await Promise.all(waiting)).not.toContain(null);
});

test("a failure budget never takes more failures in a window than it has, in whatever order attempts end", async () => {
  const outcome = fc.record({ failed: fc.boolean(), turns: fc.nat({ max: 5 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(outcome, { maxLength: 30 }), async (outcomes) => {
      const { begin } = budgetAt({ ms: 0 });
      const attempts = outcomes.map(async ({ failed, turns }) => {
        const attempt = await begin("a");
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        attempt?.end(failed);
        return attempt === null ? "refused" : failed ? "failed" : "succeeded";
      });
      const ends = await Promise.all(attempts);
      const failures = ends.filter((end) => end === "failed").length;
      expect(failures).toBeLessThanOrEqual(2);
      // Nothing is refused while there is something left.
      if (failures < 2) expect(ends).not.toContain("refused");
    }),
  );
});
