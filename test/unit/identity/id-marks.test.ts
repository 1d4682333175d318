import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdMarks } from "#services/domain/identity/id-marks.ts";

/** Few enough that many come again. */
const anyId = fc.oneof(
  fc.nat(300).map((n) => `2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a"),
);

test("tells the marks of each id as a map does", () => {
  const anyStep = fc.record({ id: anyId, mark: fc.constantFrom(0, 1, 2, 4, 128) });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 2_000 }), (steps) => {
      const marks = createIdMarks();
      const oracle = new Map<string, number>();
      for (const { id, mark } of steps) {
        const before = oracle.get(id) ?? 0;
        expect(mark === 0 ? marks.of(id) : marks.add(id, mark)).toBe(before);
        if (mark !== 0) oracle.set(id, before | mark);
      }
    }),
  );
});

test("takes hundreds of thousands, and texts longer than all before", () => {
  const marks = createIdMarks();
  const ids = Array.from(
    { length: 200_000 },
    (_, i) => `smi:nz.org.geonet/${2_000 + (i % 25)}p${i}`,
  );
  for (const id of [...ids, "x".repeat(300_000), "y".repeat(300_000)])
    expect(marks.add(id, 1)).toBe(0);
  expect(ids.filter((id) => marks.of(id) !== 1)).toEqual([]);
  expect(marks.of("x".repeat(300_000))).toBe(1);
  expect(marks.of("x".repeat(299_999))).toBe(0);
});
