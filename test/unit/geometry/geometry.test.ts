import fc from "fast-check";
import { expect, test } from "vitest";
import { CQL2_LIMITS } from "#contracts/cql2/predicates.ts";
import { MAX_REGION_VERTICES, RegionGeometry } from "#contracts/events/regions.ts";
import {
  type Area,
  areaOfGeometry,
  areaOfWkt,
  boxOfArea,
  GeometryFault,
  MAX_WKT_VERTICES,
  type Position,
  type Shape,
  shapeOf,
  wktOf,
} from "#contracts/geometry/shape.ts";
import { containsPlace, shapeIndex } from "#contracts/geometry/shape-index.ts";
import type { Expression } from "#contracts/query/expression.ts";
import { literalSql } from "#infra/postgres/statements.ts";
import { conditionOf } from "#projections/read/conditions.ts";
import { closed, isPlaceIn, shapeAndPlaces } from "../../support/geometry.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

/** West, south, east, north. */
function boxOf(wkt: string): number[] {
  const { west, south, east, north } = boxOfArea(areaOfWkt(wkt));
  return [west, south, east, north];
}

const square = (west: number, east: number) =>
  `((${west} 0,${east} 0,${east} 1,${west} 1,${west} 0))`;

testRows(
  "the box of an area leaves out the widest gap, across the antimeridian too",
  [
    ["lies around its vertices", `POLYGON${square(170, 175)}`, [170, 0, 175, 1]],
    ["crosses the antimeridian", `POLYGON${square(170, 190)}`, [170, 0, -170, 1]],
    ["crosses it to the west", `POLYGON${square(-190, -170)}`, [170, 0, -170, 1]],
    ["is turned back", `POLYGON${square(190.1, 359.9)}`, [-169.9, 0, -0.1, 1]],
    ["ends on the antimeridian", `POLYGON${square(170, 180)}`, [170, 0, 180, 1]],
    ["begins on it", `POLYGON${square(180, 190)}`, [-180, 0, -170, 1]],
    ["is the Earth's", `POLYGON${square(-180, 180)}`, [-180, 0, 180, 1]],
    ["is no wider", `POLYGON${square(-200, 200)}`, [-180, 0, 180, 1]],
    [
      "crosses the antimeridian between parts",
      `MULTIPOLYGON(${square(178, 180)},${square(-180, -178)})`,
      [178, 0, -178, 1],
    ],
    [
      "leaves out the widest gap",
      `MULTIPOLYGON(${square(0, 1)},${square(-100, -90)},${square(100, 101)})`,
      [-100, 0, 101, 1],
    ],
    [
      "leaves out the widest gap, across the antimeridian",
      `MULTIPOLYGON(${square(100, 101)},${square(-100, -90)},${square(200, 210)})`,
      [100, 0, -90, 1],
    ],
  ],
  (_, wkt, box) => {
    expect(boxOf(wkt)).toEqual(box);
  },
);

const RING = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

/** A closed ring of so many vertices. */
function ringOf(vertices: number): number[][] {
  const open = Array.from({ length: vertices }, (_, i) => [i / 100, (i * i) % 90]);
  return [...open, open[0] ?? []];
}

function faultOf(geometry: unknown): string | undefined {
  return RegionGeometry.safeParse(geometry).error?.issues[0]?.message;
}

test("polygons and multipolygons are areas, further members of GeoJSON are left out", () => {
  const polygon = { type: "Polygon", coordinates: [RING], bbox: [0, 0, 1, 1] };
  expect(RegionGeometry.parse(polygon)).toEqual({ type: "Polygon", coordinates: [RING] });
  expect(areaOfGeometry(RegionGeometry.parse(polygon))).toEqual([[RING]]);
  const multi = { type: "MultiPolygon", coordinates: [[RING], [RING, RING]] };
  expect(areaOfGeometry(RegionGeometry.parse(multi))).toEqual([[RING], [RING, RING]]);
});

testRows(
  "a geometry that is no area is refused, with the place of its fault",
  [
    [{ type: "Polygon" }, "no list of rings"],
    [{ type: "Polygon", coordinates: [] }, "an empty list of rings"],
    [{ type: "Polygon", coordinates: [[]] }, "ring 1: an empty list of positions"],
    [{ type: "Polygon", coordinates: RING }, "ring 1: position 1: not longitude and latitude"],
    [{ type: "MultiPolygon", coordinates: [[RING], []] }, "polygon 2: an empty list of rings"],
    [{ type: "MultiPolygon", coordinates: [RING] }, "position 1"],
    [{ type: "Polygon", coordinates: [RING.slice(0, 3)] }, "does not end where it begins"],
    [{ type: "Polygon", coordinates: [[RING[0], RING[1], RING[0]]] }, "fewer than 4 positions"],
    [{ type: "Polygon", coordinates: [[[0, 0, 5], ...RING]] }, "position 1: not longitude"],
    [{ type: "Polygon", coordinates: [[["0", "0"], ...RING]] }, "position 1: not longitude"],
    [{ type: "Polygon", coordinates: [[[null, 0], ...RING]] }, "position 1: not longitude"],
    [{ type: "Polygon", coordinates: [[...RING, [361, 0]]] }, "position 5: a longitude beyond"],
    [{ type: "Polygon", coordinates: [[...RING, [0, -91]]] }, "position 5: a latitude beyond"],
    [{ type: "Point", coordinates: [0, 0] }, "Invalid discriminator"],
  ],
  (geometry, reason) => {
    expect(faultOf(geometry)).toContain(reason);
  },
);

test("vertices are counted without the closing ones, over all rings", () => {
  const half = MAX_REGION_VERTICES / 2;
  const geometryOf = (...sizes: number[]) => ({
    type: "MultiPolygon",
    coordinates: sizes.map((size) => [ringOf(size)]),
  });
  expect(faultOf(geometryOf(MAX_REGION_VERTICES))).toBeUndefined();
  expect(faultOf(geometryOf(half, half))).toBeUndefined();
  expect(faultOf(geometryOf(MAX_REGION_VERTICES + 1))).toContain("more than 10000 vertices");
  expect(faultOf(geometryOf(half, half, 3))).toContain("more than 10000 vertices");
});

test("one fault is told, however many there are", () => {
  const coordinates = [new Array(100_000).fill(["x", "y"])];
  expect(RegionGeometry.safeParse({ type: "Polygon", coordinates }).error?.issues).toHaveLength(1);
});

/** A ring of so many vertices, closed. */
function ringText(vertices: number): string {
  const positions = Array.from({ length: vertices }, (_, i) => `${i / 1000} ${(i * i) % 90}`);
  return `(${[...positions, positions[0]].join(", ")})`;
}

function textFaultOf(text: string): [character: number, message: string] {
  try {
    areaOfWkt(text);
  } catch (error) {
    if (error instanceof GeometryFault) return [error.character, error.message];
    throw error;
  }
  throw new Error("no fault");
}

test("a polygon is read whatever its case and white space, with signs and exponents", () => {
  expect(areaOfWkt(" polyGon\t(( -1.5e1 +.5,1. 1\n,\r2 2 , -15 0.5 ) ) ")).toEqual([
    [
      [
        [-15, 0.5],
        [1, 1],
        [2, 2],
        [-15, 0.5],
      ],
    ],
  ]);
});

test("a polygon may say that its degrees are those of WGS 84, as PostGIS does", () => {
  const text = "POLYGON((0 0,1 0,1 1,0 0))";
  for (const before of ["SRID=4326;", " srid=4326; "]) {
    expect(areaOfWkt(before + text)).toEqual(areaOfWkt(text));
  }
});

test("a multipolygon has parts, and parts have holes", () => {
  const area = areaOfWkt(
    "MULTIPOLYGON(((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1)),((20 0,21 0,21 1,20 0)))",
  );
  expect(area.map((polygon) => polygon.map((ring) => ring.length))).toEqual([[4, 4], [4]]);
});

test("zero has no sign", () => {
  expect(areaOfWkt("POLYGON((-0 -0,1 1,2 0,0 0))")[0]?.[0]?.[0]).toEqual([0, 0]);
});

testRows(
  "a text that is no area is refused at the character of its fault",
  [
    ["", 1, "neither POLYGON nor MULTIPOLYGON"],
    ["POINT(1 2)", 1, "neither POLYGON nor MULTIPOLYGON"],
    [" SRID=3857;POLYGON((0 0,1 0,1 1,0 0))", 2, "a SRID other than 4326"],
    ["SRID=;POLYGON((0 0,1 0,1 1,0 0))", 1, "a SRID other than 4326"],
    ["SRID=4326 POLYGON((0 0,1 0,1 1,0 0))", 1, "neither POLYGON nor MULTIPOLYGON"],
    ["SRID=4326;POLYGON Z((0 0 1,1 0 1,1 1 1,0 0 1))", 19, "longitude and latitude alone"],
    ["POLYGONZ((0 0,1 0,1 1,0 0))", 1, "neither POLYGON nor MULTIPOLYGON"],
    ["POLYGON Z((0 0 1,1 0 1,1 1 1,0 0 1))", 9, "longitude and latitude alone"],
    ["POLYGON EMPTY", 9, "empty"],
    ["MULTIPOLYGON empty", 14, "empty"],
    ["POLYGON", 8, '"(" expected'],
    ["POLYGON(0 0,1 0,1 1,0 0)", 9, '"(" expected'],
    ["POLYGON(())", 10, "a number expected"],
    ["POLYGON((0 0,1 0,1 1,0 1))", 22, "does not end where it begins"],
    ["POLYGON((0 0,1 0,0 0))", 9, "fewer than 4"],
    ["POLYGON((0 0 1,1 0 1,1 1 1,0 0 1))", 14, "more than longitude and latitude"],
    ["POLYGON((0 0,1 0,1 1,0 0)", 26, '")" expected'],
    ["POLYGON((0 0,1 0,1 1,0 0)),", 27, "nothing may follow"],
    ["POLYGON((0 0,1 0,1 1,0 0)) ☃", 28, "nothing may follow"],
    ["POLYGON((0 0,,1 0,1 1,0 0))", 14, "a number expected"],
    ["POLYGON((0 0,1 0x,1 1,0 0))", 16, "a number expected"],
    ["POLYGON((NaN 0,1 0,1 1,NaN 0))", 10, "a number expected"],
    ["POLYGON((Infinity 0,1 0,1 1,0 0))", 10, "a number expected"],
    ["POLYGON((0x10 0,1 0,1 1,0 0))", 10, "a number expected"],
    ["POLYGON((１ 0,1 0,1 1,１ 0))", 10, "a number expected"],
    ["POLYGON((\u22121 0,1 0,1 1,0 0))", 10, "a number expected"],
    ["POLYGON((0\u00a00,1 0,1 1,0 0))", 10, "a number expected"],
    ["POLYGON((0,0 1,0 1,1 0,0))", 11, "a number expected"],
    ["POLYGON((360.00001 0,1 0,1 1,0 0))", 10, "a longitude beyond ±360"],
    ["POLYGON((1e999 0,1 0,1 1,0 0))", 10, "a longitude beyond ±360"],
    ["POLYGON((0 0,1 -90.1,1 1,0 0))", 16, "a latitude beyond ±90"],
  ],
  (text, character, reason) => {
    const [at, message] = textFaultOf(text);
    expect(at).toBe(character);
    expect(message).toContain(reason);
    expect(message).toContain(`at character ${character}`);
  },
);

test("vertices are counted without the closing ones, over all rings", () => {
  const half = MAX_WKT_VERTICES / 2;
  const polygonOf = (...sizes: number[]) => `POLYGON(${sizes.map(ringText).join(",")})`;
  expect(areaOfWkt(polygonOf(MAX_WKT_VERTICES))).toHaveLength(1);
  expect(areaOfWkt(polygonOf(half, half))).toHaveLength(1);
  expect(textFaultOf(polygonOf(MAX_WKT_VERTICES + 1))[1]).toContain("more than 500 vertices");
  expect(textFaultOf(polygonOf(half, half, 3))[1]).toContain("more than 500 vertices");
});

const position: fc.Arbitrary<Position> = fc.tuple(
  fc.double({ min: -360, max: 360, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
);
const ring = fc
  .array(position, { minLength: 3, maxLength: 6 })
  .map((open) => [...open, open[0] as Position]);
const area: fc.Arbitrary<Area> = fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});

test("what is written is read again, number by number", () => {
  fc.assert(
    fc.property(area, (written) => {
      // −0 is written as 0.
      expect(areaOfWkt(wktOf(written))).toEqual(JSON.parse(JSON.stringify(written)));
    }),
  );
});

test("any text is an area or has a fault within it or right behind it", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("POLYGON", "(", "(", ")", ",", " ", "1", "-2.5", "é", "Z"))
      .map((words) => words.join("")),
  );
  fc.assert(
    fc.property(text, (any) => {
      try {
        areaOfWkt(any);
      } catch (error) {
        expect(error).toBeInstanceOf(GeometryFault);
        expect((error as GeometryFault).character).toBeLessThanOrEqual(any.length + 1);
      }
    }),
  );
});

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
