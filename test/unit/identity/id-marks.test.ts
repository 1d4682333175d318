import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdMarks } from "#services/domain/events/id-table.ts";

/** Few enough that many come again. */
const anySourceId = fc.oneof(
  fc.nat(300).map((n) => `2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a"),
);
/** More beginnings than are numbered. */
const anyPublicId = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("", "/", "smi:a/", "smi:b/"),
      fc.nat(3_000).map((n) => `${n}/`),
    ),
    anySourceId,
  )
  .map((parts) => parts.join(""));

test("the table of ids tells the marks of each id as maps do", () => {
  const anyStep = fc.oneof(
    fc.record({
      kind: fc.constant("source" as const),
      id: anySourceId,
      mark: fc.constantFrom(1, 2, 4),
    }),
    fc.record({
      kind: fc.constant("public" as const),
      id: anyPublicId,
      mark: fc.constantFrom(8, 16, 128),
    }),
  );
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 3_000 }), (steps) => {
      const marks = createIdMarks();
      const oracle = { source: new Map<string, number>(), public: new Map<string, number>() };
      const bits = { source: 7, public: 152 };
      for (const { kind, id, mark } of steps) {
        const place = kind === "source" ? marks.ofSourceId(id) : marks.ofPublicId(id);
        const before = oracle[kind].get(id) ?? 0;
        expect(marks.at(place) & bits[kind]).toBe(before);
        marks.add(place, mark);
        oracle[kind].set(id, before | mark);
      }
    }),
  );
});

test("the table of ids takes hundreds of thousands, texts longer than all before, and leaves each where it is", () => {
  const marks = createIdMarks();
  const ids = Array.from({ length: 200_000 }, (_, i) => `${2_000 + (i % 25)}p${i}`);
  const places = ids.map(marks.ofSourceId);
  for (const text of ["x".repeat(300_000), "y".repeat(300_000)]) {
    expect(marks.at(marks.ofSourceId(text))).toBe(0);
    marks.add(marks.ofSourceId(text), 2);
  }
  for (const place of places) marks.add(place, 1);
  expect(ids.map(marks.ofSourceId)).toEqual(places);
  expect(places.filter((place) => marks.at(place) !== 1)).toEqual([]);
  expect(marks.at(marks.ofSourceId("x".repeat(300_000)))).toBe(2);
  expect(marks.at(marks.ofSourceId("x".repeat(299_999)))).toBe(0);
});

test("the table of ids keeps a public id that ends in a source id in the place of that", () => {
  const marks = createIdMarks();
  const place = marks.ofSourceId("2024p1");
  expect(marks.ofPublicId("smi:nz.org.geonet/2024p1")).toBe(place);
  expect(marks.ofPublicId("smi:other/2024p1")).not.toBe(place);
});
