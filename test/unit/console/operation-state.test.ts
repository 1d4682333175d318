import fc from "fast-check";
import { expect, test } from "vitest";
import { newerState } from "#services/console/jobs/newer-state.ts";

const state = (status: string, second: number) => ({
  status,
  updated_at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
});

test("the later of two states of an operation is told, whichever way it came", () => {
  const [early, late] = [state("running", 1), state("running", 2)];
  expect(newerState(early, late)).toBe(late);
  expect(newerState(late, early)).toBe(late);
  expect(newerState(null, early)).toBe(early);
  expect(newerState(early, null)).toBe(early);
  expect(newerState(null, null)).toBeNull();
});

test("what has ended stays so, also against a state that seems later", () => {
  const ended = state("cancelled", 1);
  expect(newerState(ended, state("running", 9))).toBe(ended);
  expect(newerState(state("running", 9), ended)).toBe(ended);
});

test("of any states in any order the same is told", () => {
  const any = fc.tuple(fc.constantFrom("running", "failed"), fc.nat(5)).map((of) => state(...of));
  fc.assert(
    fc.property(fc.array(any, { minLength: 1 }), (states) => {
      const told = states.reduce<(typeof states)[number] | null>(newerState, null);
      const back = states.toReversed().reduce<(typeof states)[number] | null>(newerState, null);
      expect(back).toEqual(told);
    }),
  );
});
