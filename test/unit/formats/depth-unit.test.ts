import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import { runs } from "../../support/runs.ts";
import { type ReadFile, readFile, table } from "./read-file.ts";

type Depths = readonly (number | string)[];

/** The same depths as a table, as JSON and as GeoJSON. */
function filesOf(name: string, depths: Depths): string[] {
  const time = "2021-01-02T03:04:05Z";
  const events = depths.map((depth) => ({ time, lat: 1, lon: 2, mag: 3, [name]: depth }));
  const features = events.map(({ lat, lon, ...properties }) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [lon, lat] },
    properties,
  }));
  return [
    table(`time,lat,lon,mag,${name}`, ...depths.map((depth) => `${time},1,2,3,${depth}`)),
    JSON.stringify(events),
    JSON.stringify({ type: "FeatureCollection", features }),
  ];
}

const depthsOf = ({ events }: ReadFile) => events.map(({ depth }) => depth);

describe("depths whose unit is not said", () => {
  test.each([[[7341.5, 412, 5903]], [[1200.5, "NaN", -999, 0, 0, 0]], [[-1500, 20_000, 450]]])(
    "%j are metres, since most are beyond all kilometres, which is told once",
    (depths) => {
      for (const file of filesOf("depth", depths)) {
        const read = readFile(file);
        const metres = depths.map((depth) =>
          typeof depth === "number" && depth !== -999 ? depth / 1000 : undefined,
        );
        expect(depthsOf(read)).toEqual(metres);
        expect(read.warnings.filter((warning) => warning.includes("metres"))).toEqual([
          expect.stringContaining(
            "most of the depths are beyond 1000 km, so all are read as metres",
          ),
        ]);
      }
    },
  );

  test.each([[[371, 8452.1]], [[12, 33, 650, 5000, 10]]])(
    "%j are read as nothing, since some are beyond all kilometres, until a unit is said",
    (depths) => {
      for (const [i, file] of filesOf("depth", depths).entries()) {
        const read = readFile(file);
        expect(read.events).toEqual([]);
        expect(read.faults).toEqual(depths.map(() => "depth must be a number"));
        expect(read.warnings.join()).toContain(
          "none is read before its column is said to have a unit",
        );
        const said = (unit: "m" | "km"): NamedColumns =>
          new Map([["depth", { attribute: "depth", unit }]]);
        const inMetres = readFile(file, { columns: said("m") });
        expect([i, depthsOf(inMetres)]).toEqual([i, depths.map((depth) => depth / 1000)]);
        const within = depths.filter((depth) => depth <= 1000);
        expect(depthsOf(readFile(file, { columns: said("km") }))).toEqual(within);
      }
    },
  );

  test("depths of one column have one unit: kilometres and metres are never mixed", () => {
    const depth = fc.oneof(
      fc.integer({ min: -10, max: 1000 }),
      fc.integer({ min: -3000, max: 700_000 }),
    );
    const known = depth.filter(
      (value) => !/^-?9+$/.test(String(value)) && (value >= -10 || value < -1000),
    );
    fc.assert(
      fc.property(fc.array(known, { minLength: 1, maxLength: 30 }), (depths) => {
        const beyond = depths.filter((value) => Math.abs(value) > 1000).length;
        const rest = depths.filter((value) => value !== 0).length - beyond;
        for (const file of filesOf("depth", depths)) {
          const read = depthsOf(readFile(file));
          if (beyond === 0) expect(read).toEqual(depths);
          else if (beyond <= rest) expect(read).toEqual([]);
          else expect(read).toEqual(depths.map((value) => value / 1000));
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test.each(["depth_km", "Depth (km)", "Depth/km", "depthKm", "depth_m"])(
    "a column %s says its unit: a depth that cannot be is that row's fault alone",
    (name) => {
      const places = name === "depth_m" ? 1000 : 1;
      for (const file of filesOf(name, [10 * places, 5000 * places, 7000 * places])) {
        const { events, faults } = readFile(file);
        expect(events).toMatchObject([{ depth: 10 }]);
        expect(faults).toHaveLength(2);
      }
    },
  );

  test("a unit in a cell counts for neither", () => {
    const [file = ""] = filesOf("depth", ["12 km", "9000 m", "7500"]);
    expect(depthsOf(readFile(file))).toEqual([12, 9, 7.5]);
  });
});
