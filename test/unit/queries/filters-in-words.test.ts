import { expect, test } from "vitest";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import { filtersInWords } from "#contracts/query/filters-in-words.ts";

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, ""],
  [{ minMagnitude: "2" }, "M ≥ 2"],
  [{ minMagnitude: -1, maxMagnitude: 3.5 }, "M −1 to 3.5"],
  [{ maxDepth: "40", minMagnitude: "2" }, "M ≥ 2; depth ≤ 40 km"],
  [{ startTime: "2016-11-13T00:00:00.000Z" }, "from 2016-11-13"],
  [{ endTime: "2016-11-13T11:02:56Z" }, "until 2016-11-13T11:02:56Z"],
  [{ startTime: "2016-01-01", endTime: "2017-01-01" }, "2016-01-01 to 2017-01-01"],
  [{ minLatitude: "-40", maxLatitude: "-36" }, "latitude −40 to −36°"],
  [
    { latitude: "-38.8", longitude: "175.9", maxRadiusKm: "30" },
    "within 30 km of 38.8° S 175.9° E",
  ],
  [{ latitude: 10, longitude: -3, minRadiusKm: 5, maxRadiusKm: 30 }, "5 to 30 km from 10° N 3° W"],
  [{ magnitudeType: ["Mw", "ML"] }, "magnitude type Mw, ML"],
  [{ magnitudeType: "Mw,ML", evaluationStatus: "reviewed" }, "magnitude type Mw, ML; reviewed"],
  [
    { polygon: "POLYGON ((-10 -5, 5 -5, 5 10.5, -10 -5))", maxDepth: "40" },
    "depth ≤ 40 km; within a polygon of 3 vertices",
  ],
  [{ polygon: "POLYGON ((174 -42, 176" }, "within a polygon"],
  [{ asOf: "3", tab: "rates", has: "" }, ""],
])("the filters %j are told as %s", (filters, text) => {
  expect(filtersInWords(filters).join("; ")).toBe(text);
});

test("every filter is told", () => {
  const place = { latitude: "1", longitude: "2" };
  const alone = filtersInWords(place).join();
  for (const name of FILTER_NAMES) {
    const told = filtersInWords(name in place ? place : { ...place, [name]: "5" }).join();
    if (!(name in place)) expect(told, name).not.toBe(alone);
    expect(told, name).not.toBe("");
  }
});
