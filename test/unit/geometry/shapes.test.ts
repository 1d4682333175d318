import fc from "fast-check";
import { expect, test } from "vitest";
import { CQL2_LIMITS } from "#contracts/cql2/predicates.ts";
import { areaOfWkt, type Position, type Shape, shapeOf } from "#contracts/geometry/shape.ts";
import { containsPlace, shapeIndex } from "#contracts/geometry/shape-index.ts";
import type { Expression } from "#contracts/query/expression.ts";
import { literalSql } from "#infra/postgres/statements.ts";
import { conditionOf } from "#projections/read/conditions.ts";
import { closed, isPlaceIn, shapeAndPlaces } from "../../support/geometry.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

/** Whether the WKT has the place: longitude, latitude. */
function has(wkt: string, ...[longitude, latitude]: Position): boolean {
  return containsPlace(shapeIndex(shapeOf(areaOfWkt(wkt))), longitude, latitude);
}

const SQUARE = "POLYGON((170 -40,175 -40,175 -35,170 -35,170 -40))";

testRows(
  "a square holds its edges, exactly",
  [
    [172, -37, true],
    [170, -40, true],
    [172.5, -40, true],
    [175, -36.123, true],
    [175.0000000000001, -37, false],
    [172, -40.00000000000001, false],
    [-172, -37, false],
  ],
  (longitude, latitude, isIn) => {
    expect(has(SQUARE, longitude, latitude)).toBe(isIn);
  },
);

test("an edge is met in the decimals as written, where doubles would miss it", () => {
  // 0.1 + 0.2 is not 0.3 in doubles; on the edge from 0.1 0.1 to 0.7 0.4 a third of the way.
  const triangle = "POLYGON((0.1 0.1,0.7 0.4,0.1 0.7,0.1 0.1))";
  expect(has(triangle, 0.3, 0.2)).toBe(true);
  expect(has(triangle, 0.3, 0.19999999999999998)).toBe(false);
});

test("holes are outside, their edges inside", () => {
  const ring = "POLYGON((0 0,9 0,9 9,0 9,0 0),(3 3,6 3,6 6,3 6,3 3))";
  expect([has(ring, 1, 1), has(ring, 5, 5), has(ring, 6, 4)]).toEqual([true, false, true]);
});

test("a ring that crosses itself is inside by even and odd, parts that overlap are united", () => {
  const twice = "(0 0,9 0,9 9,0 9,0 0,6 6,6 0,0 0,0 0)";
  expect(has(`POLYGON(${twice})`, 5, 1)).toBe(false);
  const parts = "MULTIPOLYGON(((0 0,9 0,9 9,0 0)),((0 0,9 0,9 9,0 0)))";
  expect(has(parts, 5, 1)).toBe(true);
});

test("a ring across the antimeridian has places on both sides, and 180 is −180", () => {
  const across = "POLYGON((178 0,182 0,182 2,178 2,178 0))";
  const places: Position[] = [
    [179, 1],
    [-179, 1],
    [180, 1],
    [-180, 1],
    [-178, 1],
    [177, 1],
  ];
  expect(places.map((place) => has(across, ...place))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  const toIt = "POLYGON((178 0,180 0,180 2,178 2,178 0))";
  expect([has(toIt, -180, 1), has(toIt, -179.9, 1)]).toEqual([true, false]);
});

test("a pole is in every area that touches its latitude", () => {
  const touching = "POLYGON((0 80,10 80,5 90,0 80))";
  expect([has(touching, 120, 90), has(touching, 120, 89.9), has(touching, 5, -90)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a ring without an area has its edges", () => {
  expect(has("POLYGON((0 0,2 2,1 1,0 0))", 1.5, 1.5)).toBe(true);
  expect(has("POLYGON((0 0,2 2,1 1,0 0))", 1.5, 1.4)).toBe(false);
  expect(has("POLYGON((3 3,3 3,3 3,3 3))", 3, 3)).toBe(true);
  expect(has("POLYGON((3 3,3 3,3 3,3 3))", 3, 3.1)).toBe(false);
});

const anyShare = fc.constantFrom(1, 1 / 3, 1 / 100);

test("places are in shapes as an oracle of whole numbers says", () => {
  fc.assert(
    fc.property(shapeAndPlaces(7, 12), anyShare, ([shape, places], share) => {
      const index = shapeIndex(shape, share);
      for (const place of places) {
        expect([place, containsPlace(index, ...place)]).toEqual([place, isPlaceIn(shape, place)]);
      }
    }),
    { numRuns: runs(10_000, 1 / 100) },
  );
});

/** Shapes of 500 vertices whose edges lie close together or cross each other often. */
const HOSTILE: Readonly<Record<string, (i: number) => Position>> = {
  spiral: (i) => [172 + (i / 100) * Math.cos(i / 2), -40 + (i / 100) * Math.sin(i / 2)],
  star: (i) => [100 * Math.cos(1.565 * i), 80 * Math.sin(1.565 * i)],
  comb: (i) => (i % 4 < 2 ? [i / 10, i / 10] : [i / 10 + 40, i / 10 - 40]),
  "far vertex": (i) => (i === 0 ? [-180, 89] : [172 + Math.cos(1.5 * i) / 1e3, Math.sin(1.5 * i)]),
  "same line": (i) => [i % 7, i % 7],
  tiny: (i) => [1e-300 * Math.cos(i), 1e-300 * Math.sin(i)],
};

test("hostile shapes of 500 vertices have a bounded index that is exact", () => {
  for (const [name, at] of Object.entries(HOSTILE)) {
    const shape = shapeOf([[closed(Array.from({ length: 500 }, (_, i) => at(i)))]]);
    const index = shapeIndex(shape);
    expect(index.entries.length, name).toBeLessThan(6_500);
    expect(index.states.length, name).toBeLessThan(40_000);
    for (let i = 0; i < 24; i += 1) {
      const place: Position = i % 3 === 0 ? at(i) : [((i * 7919) % 360) - 180, (i * 104_729) % 90];
      expect([place, containsPlace(index, ...place)], name).toEqual([
        place,
        isPlaceIn(shape, place),
      ]);
    }
  }
});

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

/** Beside all other statements: some 20 ms on the benchmark's machine. */
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
