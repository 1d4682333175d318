import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextColumnBuilder } from "#services/domain/merge/columns.ts";
import { runs } from "../../support/runs.ts";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(null, "", "\0", "a", "a\0", "é", "e\u0301", "ÿ", "𐐷", "\uffff"),
);

function columnOf(texts: readonly (string | null)[]) {
  const builder = createTextColumnBuilder(texts.length);
  for (const text of texts) builder.push(text);
  return builder.finish();
}

test("a column gives its texts back, and null for none", () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 500 }), (texts) => {
      const column = columnOf(texts);
      expect(texts.map((_, row) => column.textOf(row))).toEqual(texts);
      expect(column.textOf(texts.length)).toBeNull();
    }),
  );
});

test("its texts are in the order of their bytes, which is that of their code points", () => {
  const orderOf = (a: string | null, b: string | null): number => {
    if (a === null || b === null) return Number(a !== null) - Number(b !== null);
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  };
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(columnOf([a, b]).compare(0, 1)).toBe(orderOf(a, b));
    }),
    { numRuns: runs(500) },
  );
});

test("it grows with texts longer than all before", () => {
  const texts = ["a", "é".repeat(100_000), null, "b".repeat(500_000), "c"];
  const column = columnOf(texts);
  expect(texts.map((_, row) => column.textOf(row))).toEqual(texts);
});

test("it refuses more than it has room for", () => {
  const builder = createTextColumnBuilder(1);
  builder.push(null);
  expect(() => builder.push("a")).toThrow(RangeError);
  expect(builder.finish().textOf(0)).toBeNull();
});
