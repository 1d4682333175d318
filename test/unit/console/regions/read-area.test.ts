import { describe, expect, test } from "vitest";
import { wktArea } from "#contracts/query/filter-shapes.ts";
import { readArea, UnreadArea } from "#services/console/features/regions/read-area.ts";

const RING = [
  [174, -41],
  [176, -41],
  [175, -39],
  [174, -41],
];
const POLYGON = { type: "Polygon", coordinates: [RING] };
const feature = (geometry: object, properties: object | null = null) => ({
  type: "Feature",
  properties,
  geometry,
});
const collection = (...features: object[]) => ({ type: "FeatureCollection", features });

describe("the text of an area", () => {
  test.each([
    ["a Polygon", POLYGON],
    ["a MultiPolygon", { type: "MultiPolygon", coordinates: [[RING]] }],
    ["a Feature", feature(POLYGON)],
    ["a FeatureCollection of one", collection(feature(POLYGON))],
    ["heights", { ...POLYGON, coordinates: [RING.map((place) => [...place, 12])] }],
  ])("is GeoJSON with %s", (_what, json) => {
    expect(readArea(`\n ${JSON.stringify(json)}`)).toEqual({ area: [[RING]], name: null });
  });

  test("is WKT too", () => {
    const text = "POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))";
    expect(readArea(` ${text}\n`)).toEqual({ area: [[RING]], name: null });
    expect(wktArea(text)).toEqual([[RING]]);
  });

  test("has the name of its feature", () => {
    const named = collection(feature(POLYGON, { name: " Wairarapa " }));
    expect(readArea(JSON.stringify(named)).name).toBe("Wairarapa");
  });

  test.each([
    ["several areas", JSON.stringify(collection(feature(POLYGON), feature(POLYGON))), /2 features/],
    ["none", JSON.stringify(collection()), /0 features/],
    ["a point", JSON.stringify({ type: "Point", coordinates: [1, 2] }), /is a Point/],
    ["other JSON", JSON.stringify({ a: 1 }), /no GeoJSON/],
    ["half a file", '{"type": "Polygon"', /no whole JSON/],
    ["no positions", JSON.stringify({ ...POLYGON, coordinates: [[["a"]]] }), /position/],
    ["no rings", JSON.stringify({ ...POLYGON, coordinates: null }), /rings/],
    ["neither", "a,b\n1,2", /neither GeoJSON nor WKT/],
  ])("that has %s is refused in words", (_what, text, words) => {
    expect(() => readArea(text)).toThrow(UnreadArea);
    expect(() => readArea(text)).toThrow(words);
  });

  test("that is no WKT is no area of an address", () => {
    expect(wktArea("POLYGON ((1 2))")).toBeNull();
    expect(wktArea(null)).toBeNull();
  });
});
