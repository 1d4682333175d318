import fc from "fast-check";
import { expect, test } from "vitest";
import { CQL2_LIMITS } from "#contracts/cql2/cql2-fault.ts";
import { type Position, type Shape, shapeOf } from "#contracts/geometry/shape.ts";
import { shapeIndex } from "#contracts/geometry/shape-index.ts";
import type { Expression } from "#contracts/query/expression.ts";
import { literalSql } from "#infra/postgres/statements.ts";
import { conditionOf } from "#projections/queries/events/event-filters.ts";
import { closed } from "../../support/geometry.ts";
import { runs } from "../../support/runs.ts";

/** Ways through so many vertices, in a box of a size: some cross many cells, some have many vertices in one. */
const WAYS: Readonly<Record<string, (i: number, of: number, size: number) => Position>> = {
  star: (i, of, size) => {
    const angle = (2 * Math.PI * ((i * (Math.floor(of / 2) - 1)) % of)) / of;
    return [2 * size * Math.cos(angle), size * Math.sin(angle)];
  },
  ring: (i, of, size) => {
    const angle = (2 * Math.PI * i) / of;
    return [170 + size * Math.cos(angle), (size / 2) * Math.sin(angle)];
  },
  comb: (i, of, size) => [(size * i) / of, i % 2 === 0 ? -size : size],
  "near each other": (i, _, size) => [i % 2 === 0 ? 1e-7 * i : size, 1e-7 * i],
  "same line": (i, _, size) => [size * (i % 7), size * ((i % 7) / 8)],
};

const shapeOfFilter = (vertices: number): fc.Arbitrary<Shape> =>
  fc
    .record({
      way: fc.constantFrom(...Object.values(WAYS)),
      size: fc.constantFrom(80, 40, 3, 1e-3),
      isLine: fc.boolean(),
    })
    .map(({ way, size, isLine }) => {
      const positions = Array.from({ length: vertices }, (_, i) => way(i, vertices, size));
      if (vertices < 3) return { polygons: [], lines: [], points: positions };
      return isLine
        ? { polygons: [], lines: [positions], points: [] }
        : shapeOf([[closed(positions)]]);
    });

/** As many shapes as a filter may have, of as many places together. */
const filter = fc
  .oneof(fc.constantFrom(1, 2, CQL2_LIMITS.conditions), fc.integer({ min: 1, max: 100 }))
  .chain((count) =>
    fc.record({
      shapes: fc.array(shapeOfFilter(Math.floor(CQL2_LIMITS.vertices / count)), {
        minLength: count,
        maxLength: count,
      }),
      together: fc.constantFrom<"all" | "any">("all", "any"),
    }),
  );

/** Beside all other statements: some 20 ms on the benchmark's machine (test/bench/cases/filter-work.ts). */
const BOUNDS = { cells: 50_000, entries: 8_500, characters: 1_200_000 };

test("the shapes of a filter make a bounded work together, however many they are", () => {
  fc.assert(
    fc.property(filter, ({ shapes, together }) => {
      const conditions = shapes.map((shape): Expression => ({ kind: "shape", shape }));
      const expression: Expression = together === "all" ? { all: conditions } : { any: conditions };
      expect(literalSql(conditionOf(expression)).length).toBeLessThan(BOUNDS.characters);
      // As they were made for the statement.
      const indexes = shapes.map((shape) => shapeIndex(shape, 0));
      const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
      expect(sumOf(indexes.map(({ states }) => states.length))).toBeLessThan(BOUNDS.cells);
      expect(sumOf(indexes.map(({ entries }) => entries.length))).toBeLessThan(BOUNDS.entries);
    }),
    { numRuns: runs(250) },
  );
});
