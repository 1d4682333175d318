import { expect, test } from "vitest";
import { MAX_REGION_VERTICES, RegionGeometry } from "#contracts/geometry/region-geometry.ts";
import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import { testRows } from "../../support/test-rows.ts";

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
