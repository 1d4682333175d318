import fc from "fast-check";
import { expect, test } from "vitest";
import { createGathered } from "#infra/files/gathered.ts";

/** Sizes about those at which a piece is copied, kept as it is, or begins a new room. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 16_000, max: 17_000 }),
  fc.integer({ min: 0, max: 70_000 }),
);

test("pieces of any sizes are given back in the order in which they came", () => {
  fc.assert(
    fc.property(fc.array(size, { maxLength: 30 }), (sizes) => {
      const gathered = createGathered();
      const pieces = sizes.map((bytes, i) => Buffer.alloc(bytes, i + 1));
      for (const piece of pieces) gathered.add(piece);
      const all = Buffer.concat(pieces);
      expect(gathered.length()).toBe(all.length);
      expect(Buffer.concat(gathered.pieces()).equals(all)).toBe(true);
    }),
  );
});
