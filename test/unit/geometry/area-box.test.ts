import { expect } from "vitest";
import { boxOfArea } from "#contracts/geometry/extent.ts";
import { areaOfWkt } from "#contracts/geometry/wkt.ts";
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
