import { expect, test } from "vitest";
import { atOnce, inTurns, type Steps, takenBetween } from "#infra/kernel/steps.ts";

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
