import fc from "fast-check";
import { expect, test } from "vitest";
import type { Area, Position } from "#contracts/geometry/shape.ts";
import { areaOfWkt, GeometryFault, MAX_WKT_VERTICES, wktOf } from "#contracts/geometry/wkt.ts";
import { testRows } from "../../support/test-rows.ts";

/** A ring of so many vertices, closed. */
function ringText(vertices: number): string {
  const positions = Array.from({ length: vertices }, (_, i) => `${i / 1000} ${(i * i) % 90}`);
  return `(${[...positions, positions[0]].join(", ")})`;
}

function faultOf(text: string): [character: number, message: string] {
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
    const [at, message] = faultOf(text);
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
  expect(faultOf(polygonOf(MAX_WKT_VERTICES + 1))[1]).toContain("more than 500 vertices");
  expect(faultOf(polygonOf(half, half, 3))[1]).toContain("more than 500 vertices");
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
