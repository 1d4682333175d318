import fc from "fast-check";
import { expect, test } from "vitest";
import { firstRows } from "#services/gateway/files/first-rows.ts";

test("the first rows are those of all, however they come", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ note: fc.string({ unit: "grapheme" }), n: fc.integer() }), {
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 8 }),
      fc.infiniteStream(fc.nat(4)),
      (rows, limit, sizes) => {
        const first = firstRows(limit);
        for (let from = 0; from < rows.length; ) {
          const size = sizes.next().value;
          const part = rows.slice(from, from + size).map((row) => JSON.stringify(row));
          const before = from === 0 || part.length === 0 ? "" : ",\n";
          first.add(Buffer.from(before + part.join(",\n")));
          from += size;
        }
        const shown: unknown = JSON.parse(`[${Buffer.from(first.rows())}]`);
        expect(shown).toEqual(rows.slice(0, limit));
      },
    ),
  );
});
