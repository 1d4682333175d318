import fc from "fast-check";
import { expect, test } from "vitest";
import { saidAlike } from "#contracts/said-alike.ts";
import { createUploadTally } from "#services/gateway/files/upload-tally.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const problem = fc.record({
  kind: fc.constantFrom("error", "warning"),
  line: fc.integer({ min: 1, max: 1_000_000 }),
  message: fc.oneof(
    fc
      .tuple(fc.constantFrom("depth", "time"), fc.double({ noNaN: true }))
      .map(([column, value]) => `${column}: ${value} is not between -10 and 1000 km`),
    fc.string({ maxLength: 600 }),
  ),
} as const);

test("notes are all errors and warnings by what they say, each with its count and its first line", () => {
  fc.assert(
    fc.property(fc.array(problem, { maxLength: 400 }), (problems) => {
      const { sink, counts } = createUploadTally(1000, false);
      for (const { kind, line, message } of problems) sink[kind](line, message);
      const told = problems.map(({ line, message }) => ({ line, message: message.slice(0, 500) }));
      const groups = [...Map.groupBy(told, ({ message }) => saidAlike(message)).values()];
      expect(counts([]).notes).toEqual(
        groups.slice(0, 100).map((group) => ({
          message: group[0]?.message,
          count: group.length,
          first: Math.min(...group.map(({ line }) => line)),
        })),
      );
    }),
    { numRuns: runs(300) },
  );
});

testRows(
  "notes that say alike are one",
  [
    [
      "depth: 1500 is not between -10 and 1000 km",
      "depth: -2.5e-7 is not between -10 and 1000 km",
      true,
    ],
    ['mag: "12x" is not a number', 'mag: "9x" is not a number', true],
    [
      "The row has 5 fields where there are 4 columns",
      "The row has 7 fields where there are 4 columns",
      true,
    ],
    ['type: "nuke" is read as "nuclear explosion"', 'type: "rock" is read as "rock burst"', false],
    ["depth: 5 is less than 0", "rms: 5 is less than 0", false],
  ],
  (one, other, isOne) => {
    expect(saidAlike(one) === saidAlike(other)).toBe(isOne);
  },
);
