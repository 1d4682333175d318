import fc from "fast-check";
import { expect, test } from "vitest";
import { wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import { faultyColumns } from "#services/domain/seismic-event/named-columns.ts";
import { runs } from "../../support/runs.ts";
import { readFile, table } from "./read-file.ts";

const HEAD = "time,lat,lon,mag";
const EVENT = "2021-01-02T03:04:05Z,1,2,3";

/** The same value in a table and in JSON, by a column's own name. */
function eventsOf(name: string, value: number | string, columns: NamedColumns) {
  const [time, lat, lon, mag] = EVENT.split(",");
  const json = JSON.stringify([
    { time, lat: Number(lat), lon: Number(lon), mag: Number(mag), [name]: value },
  ]);
  return [table(`${HEAD},${name}`, `${EVENT},${value}`), json].map(
    (content) => readFile(content, { columns }).events[0],
  );
}

const UNITS = [
  ["depth", "m", 1 / 1000, 0, 700_000],
  ["depth", "km", 1, 0, 700],
  ["depth", "mi", 1.609344, 0, 400],
  ["horizontal_uncertainty", "m", 1 / 1000, 0, 5000],
  ["azimuthal_gap", "rad", 180 / Math.PI, 0, 6],
  ["minimum_distance", "deg", 1, 0, 180],
  ["standard_error", "ms", 1 / 1000, 0, 5000],
  ["time_uncertainty", "s", 1, 0, 60],
] as const;

test("a column is read in the unit that it is said to have, whatever its name says", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...UNITS),
      fc.constantFrom("x", "x (km)", "depth_m", "own"),
      fc.nat({ max: 1_000_000 }),
      ([attribute, unit, factor, min, max], given, part) => {
        const name = given === "own" ? attribute : given;
        const value = Number((min + ((max - min) * part) / 1_000_000).toFixed(3));
        const columns: NamedColumns = new Map([[name, { attribute, unit }]]);
        for (const event of eventsOf(name, value, columns)) {
          expect(event?.[attribute]).toBeCloseTo(value * factor, 9);
          // No noise of binary fractions.
          expect(String(event?.[attribute]).length).toBeLessThan(18);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

test.each([
  ["s", 1_609_556_645.25, "2021-01-02T03:04:05.250000Z"],
  ["ms", 1_609_556_645_250, "2021-01-02T03:04:05.250Z"],
  ["ms", 86_400_000, "1970-01-02T00:00:00.000Z"],
] as const)("times that are said to be in %s count from 1970", (unit, value, time) => {
  const columns: NamedColumns = new Map([["t", { attribute: "time", unit }]]);
  const json = JSON.stringify([{ lat: 1, lon: 2, mag: 3, t: value }]);
  for (const content of [table("t,lat,lon,mag", `${value},1,2,3`), json]) {
    expect(readFile(content, { columns }).events).toMatchObject([{ time }]);
  }
});

test("a unit in a cell holds before that which its column is said to have", () => {
  const columns: NamedColumns = new Map([["z", { attribute: "depth", unit: "m" }]]);
  const rows = [`${EVENT},8452.1`, `${EVENT},12 km`, `${EVENT},NaN`];
  const { events } = readFile(table(`${HEAD},z`, ...rows), { columns });
  expect(events.map(({ depth }) => depth)).toEqual([8.4521, 12, undefined]);
});

test.each([
  ["depth", "s", "is in s, but depth has m or km or mi"],
  ["latitude", "km", "is in km, but latitude has deg or rad"],
  ["time", "rad", "is in rad, but time has s or ms"],
  ["residual", "m", "is in m, but residual has s or ms"],
  ["magnitude", "m", "is in m, but magnitude has no unit"],
  ["station", "m", "is in m, but station has no unit"],
] as const)("columns of %s have no unit %s", (attribute, unit, message) => {
  const columns: NamedColumns = new Map([["x", { attribute, unit }]]);
  expect(faultyColumns(columns, { headers: ["x"] })).toEqual([{ field: "columns.x", message }]);
});

test("a unit that is not read by its name is read where it is said", () => {
  const columns: NamedColumns = new Map([["Depth (mi)", { attribute: "depth", unit: "mi" }]]);
  expect(faultyColumns(columns, { headers: ["Depth (mi)"] })).toEqual([]);
  expect(eventsOf("Depth (mi)", 10, columns)).toMatchObject([
    { depth: 16.09344 },
    { depth: 16.09344 },
  ]);
});

test("longitudes of 180 to 360 are wrapped and told once, as a table and as JSON", () => {
  const longitude = fc.integer({ min: -18_000, max: 36_000 }).map((value) => value / 100);
  fc.assert(
    fc.property(fc.array(longitude, { minLength: 1, maxLength: 20 }), (longitudes) => {
      const rows = longitudes.map((lon) => `2021-01-02T03:04:05Z,1,${lon},3`);
      const json = longitudes.map((lon) => ({ time: "2021-01-02", lat: 1, lon, mag: 3 }));
      for (const content of [table(HEAD, ...rows), JSON.stringify(json)]) {
        const { rows: read, warnings, events } = readFile(content);
        const wrapped = longitudes.map(wrapLongitude);
        expect(read.map((row) => row["lon"] ?? row["longitude"])).toEqual(wrapped);
        expect(events.map((event) => event.longitude)).toEqual(wrapped);
        const told = warnings.filter((warning) => warning.includes("180 to 360"));
        expect(told).toHaveLength(longitudes.some((lon) => lon > 180) ? 1 : 0);
      }
    }),
    { numRuns: runs(200) },
  );
});
