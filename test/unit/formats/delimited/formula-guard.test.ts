import fc from "fast-check";
import { expect, test } from "vitest";
import { guardFormula, unguardFormula } from "#contracts/formula-guard.ts";
import { runs } from "../../../support/runs.ts";

const LEADING = [
  "'",
  "=",
  "+",
  "-",
  "@",
  "|",
  "＝",
  "＋",
  "－",
  "＠",
  "｜",
  "\t",
  "\r",
  "\n",
  " ",
  "\u3000",
];
/** Nobody sees these: zero-width, soft hyphen, byte order mark, filler, joiner, control, braille blank. */
const INVISIBLE = [..."\u200b\u200d\u2060\u00ad\ufeff\u115f\u034f\u0000\u2800\u{e0020}"];
/** Any text, mostly one that begins as a formula, a guarded one, or nearly so. */
const anyText = fc
  .tuple(
    fc.array(fc.constantFrom(...LEADING, ...INVISIBLE), { maxLength: 5 }),
    fc.string({ unit: "binary" }),
  )
  .map(([leading, rest]) => leading.join("") + rest);

test("the guard is taken off exactly, whatever the text is", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(unguardFormula(guardFormula(text))).toBe(text);
    }),
    { numRuns: runs(20_000) },
  );
});

test("no text that is written begins as a formula, with or without white space or invisible characters before it", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const seen = guardFormula(text).replaceAll(/[\s\p{Cc}\p{Cf}\p{DI}\u2800]/gu, "");
      const first = seen.charAt(0);
      expect("=+-@|＝＋－＠｜".includes(first) && first !== "").toBe(false);
    }),
    { numRuns: runs(20_000) },
  );
});
