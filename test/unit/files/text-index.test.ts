import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextIndex } from "#infra/files/text-index.ts";
import { runs } from "../../support/runs.ts";

describe("an index of texts", () => {
  it("finds the numbers that were added under a text, in order, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 5000 }), (texts) => {
        const index = createTextIndex();
        const expected = new Map<string, number[]>();
        for (const [number, text] of texts.entries()) {
          index.add(text, number);
          expected.set(text, [...(expected.get(text) ?? []), number]);
        }
        for (const [text, numbers] of expected) expect(index.numbersOf(text)).toEqual(numbers);
        expect(index.numbersOf("none of them")).toEqual([]);
      }),
      { numRuns: runs(50) },
    );
  });
});
