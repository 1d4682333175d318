import { expect, test } from "vitest";
import {
  areaOf,
  shapesOf,
  withoutShape,
  withShape,
} from "#services/console/features/work/filters/drawn-filters.ts";

const AREA = [
  [
    [
      [178, -41],
      [182.5, -41],
      [180, -38.25],
      [178, -41],
    ],
  ],
] as const;
const BOX = { south: -42, north: -40, west: 170, east: 175 };

test("a polygon that is drawn is a filter beside a box, and drawn from it again", () => {
  const boxed = withShape({ minMagnitude: "3" }, { kind: "box", bounds: BOX });
  const filters = withShape(boxed, { kind: "polygon", area: AREA });
  expect(filters).toMatchObject({ minMagnitude: "3", minLatitude: "-42" });
  const shapes = shapesOf(filters, null, null);
  expect(shapes).toEqual([
    { kind: "box", bounds: BOX },
    { kind: "polygon", area: AREA },
  ]);
  const left = shapes.reduce(withoutShape, filters);
  expect(left).toEqual({ minMagnitude: "3" });
});

test("a polygon across the antimeridian is looked at as such", () => {
  const filters = withShape({}, { kind: "polygon", area: AREA });
  expect(areaOf(filters, null)).toEqual({ south: -41, north: -38.25, west: 178, east: -177.5 });
});

test("a saved region is drawn as soon as it is known, and taken away by its id", () => {
  const filters = { region: "3b241101-e2bb-4255-8caf-4136c566a962" };
  expect(shapesOf(filters, null, null)).toEqual([]);
  const [shape] = shapesOf(filters, null, { area: AREA, name: "Hikurangi", bounds: BOX });
  expect(shape).toEqual({ kind: "region", area: AREA, name: "Hikurangi" });
  expect(areaOf(filters, { area: AREA, name: null, bounds: BOX })).toEqual(BOX);
  expect(shape && withoutShape(filters, shape)).toEqual({});
});

test("a text that is no polygon is not drawn", () => {
  expect(shapesOf({ polygon: "POLYGON ((1 2" }, null, null)).toEqual([]);
  expect(areaOf({ polygon: "POLYGON ((1 2" }, null)).toBeNull();
});
