import fc from "fast-check";
import { expect, test } from "vitest";
import { guardFormula, unguardFormula } from "#infra/formats/delimited/cell.ts";

const LEADING = ["'", "=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", " ", "\u3000"];
/** Any text, mostly one that begins as a formula, a guarded one, or nearly so. */
const anyText = fc
  .tuple(fc.array(fc.constantFrom(...LEADING), { maxLength: 5 }), fc.string({ unit: "binary" }))
  .map(([leading, rest]) => leading.join("") + rest);

test("the guard is taken off exactly, whatever the text is", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(unguardFormula(guardFormula(text))).toBe(text);
    }),
    { numRuns: 20_000 },
  );
});

test("no text that is written begins as a formula, with or without white space", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const first = guardFormula(text).trimStart().charAt(0);
      expect("=+-@＝＋－＠".includes(first) && first !== "").toBe(false);
    }),
    { numRuns: 20_000 },
  );
});
