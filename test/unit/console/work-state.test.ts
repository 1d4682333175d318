import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import {
  apiQueryOf,
  PANEL_TABS,
  SORT_COLUMNS,
  searchOf,
  type WorkState,
  workStateOf,
} from "#services/console/model/work-state.ts";

const text = fc.string({ minLength: 1, unit: "grapheme" });
const states: fc.Arbitrary<WorkState> = fc.record({
  filters: fc.dictionary(fc.constantFrom(...FILTER_NAMES), text).map((found) => ({ ...found })),
  asOf: fc.option(text),
  inMap: fc.boolean(),
  map: fc.option(
    fc.record({
      zoom: fc.integer({ min: 0, max: 80 }).map((quarters) => quarters / 4),
      latitude: fc.integer({ min: -900_000, max: 900_000 }).map((n) => n / 10_000),
      longitude: fc.integer({ min: -1_800_000, max: 1_800_000 }).map((n) => n / 10_000),
    }),
  ),
  line: fc.option(
    fc.record({
      latitude: fc.integer({ min: -90, max: 90 }),
      longitude: fc.integer({ min: -180, max: 180 }),
      azimuth: fc.integer({ min: 0, max: 359 }),
      halfWidthKm: fc.integer({ min: 1, max: 500 }),
      lengthKm: fc.integer({ min: 1, max: 20_000 }),
    }),
  ),
  event: fc.option(fc.uuid()),
  colour: fc.constantFrom("depth", "age", "magnitude", "quality"),
  scale: fc.constantFrom("global", "local", null),
  sort: fc.constantFrom(...SORT_COLUMNS),
  order: fc.constantFrom("asc", "desc"),
  tab: fc.constantFrom(...PANEL_TABS),
});

describe("the address of a work page", () => {
  test("says all that the page shows", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(workStateOf(searchOf(state))).toEqual(state);
      }),
    );
  });

  test("is empty where nothing was chosen, and takes nothing from nonsense", () => {
    const nothing = workStateOf("");
    expect(searchOf(nothing)).toBe("");
    expect(workStateOf("?inMap=yes&map=1/2&colour=pink&sort=name&order=up&minMagnitude=")).toEqual(
      nothing,
    );
    expect(workStateOf("?map=3//5").map).toBeNull();
    expect(workStateOf("?along=profile&throughLatitude=1&azimuth=90").line).toBeNull();
  });

  test("has the filters by the API's names, which are also what the API is asked", () => {
    const state = workStateOf("?minMagnitude=5&asOf=3&map=4/-40/175&startTime=2016-11-13T11:02");
    expect(searchOf(state)).toBe("?minMagnitude=5&startTime=2016-11-13T11:02&asOf=3&map=4/-40/175");
    expect(apiQueryOf(state)).toEqual({
      minMagnitude: "5",
      startTime: "2016-11-13T11:02",
      asOf: "3",
    });
  });
});
