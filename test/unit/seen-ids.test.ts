import fc from "fast-check";
import { expect, test } from "vitest";
import { createSeenIds } from "#services/commands/seen-ids.ts";

/** Few enough that many come again. */
const anyId = fc.oneof(
  fc.nat(300).map((n) => `2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a"),
);

test("tells what is new as a set does", () => {
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 2_000 }), (ids) => {
      const seen = createSeenIds();
      const oracle = new Set<string>();
      for (const id of ids) {
        expect(seen.add(id)).toBe(!oracle.has(id));
        oracle.add(id);
      }
    }),
  );
});

test("takes hundreds of thousands, and texts longer than all before", () => {
  const seen = createSeenIds();
  const ids = Array.from(
    { length: 200_000 },
    (_, i) => `smi:nz.org.geonet/${2_000 + (i % 25)}p${i}`,
  );
  for (const id of [...ids, "x".repeat(300_000), "y".repeat(300_000)])
    expect(seen.add(id)).toBe(true);
  expect(ids.filter(seen.add)).toEqual([]);
  expect(seen.add("x".repeat(300_000))).toBe(false);
  expect(seen.add("x".repeat(299_999))).toBe(true);
});
