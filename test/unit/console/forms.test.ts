import fc from "fast-check";
import { expect, test } from "vitest";
import type { Schedule } from "#contracts/http/imports.ts";
import { MergeConfig } from "#contracts/merges/config.ts";
import {
  carriedOf,
  importBodyOf,
  NEW_FORM,
} from "#services/console/features/import/import-body.ts";
import {
  configOf,
  formOfConfig,
  NEW_FORM as NEW_MERGE,
  NEW_WINDOW,
} from "#services/console/features/merge/config/config.ts";
import {
  everyText,
  formOf,
  groupsOf,
  isQuiet,
  leastCurrent,
  lookbackText,
  type Run,
  settingsOf,
} from "#services/console/features/schedules/schedule.ts";
import { carriedIn, newScheduleAddress, withArea } from "#services/console/model/typed-bounds.ts";
import { boxOfSides } from "#services/console/model/work-state.ts";
import { testRows } from "../../support/test-rows.ts";

test("what is left empty has no bound", () => {
  const bounds = { minMagnitude: "4.5", maxDepth: " ", minLongitude: "-170" };
  expect(importBodyOf({ ...NEW_FORM, bounds })).toEqual({
    hours: 24,
    minMagnitude: 4.5,
    minLongitude: -170,
    access: "internal",
    updateExisting: true,
    detail: "full",
  });
});

const degrees = (most: number) =>
  fc.integer({ min: -most * 100, max: most * 100 }).map((n) => n / 100);

test("an area on a map becomes bounds, and bounds an area", () => {
  fc.assert(
    fc.property(
      degrees(90),
      degrees(90),
      degrees(179),
      degrees(179),
      (south, north, west, east) => {
        const area = { south, north, west, east };
        expect(boxOfSides(withArea({ minDepth: "5" }, area))).toEqual(area);
        expect(withArea({ minDepth: "5" }, area).minDepth).toBe("5");
      },
    ),
  );
});

test("around the world there are no bounds of longitude", () => {
  const bounds = withArea({}, { south: -60, north: 60, west: -180, east: 180 });
  expect(importBodyOf({ ...NEW_FORM, bounds })).not.toHaveProperty("minLongitude");
  expect(boxOfSides(bounds)).toBeNull();
});

const bound = fc.integer({ min: -90, max: 90 }).map(String);
const form = fc
  .record({
    agency: fc.constantFrom("", "usgs"),
    region: fc.constantFrom("", "3b241101-e2bb-4255-8caf-4136c566a962"),
    hours: fc.integer({ min: 1, max: 87_600 }).map(String),
    bounds: fc.record(
      { minMagnitude: bound, maxDepth: bound, minLongitude: bound },
      { requiredKeys: [] },
    ),
    detail: fc.constantFrom("full" as const, "summary" as const),
    updateExisting: fc.boolean(),
  })
  .map((part) => ({ ...NEW_FORM, ...part }));

test("a schedule's form finds in its address what the import was asked for", () => {
  fc.assert(
    fc.property(form, (imported) => {
      const { searchParams, pathname } = new URL(
        newScheduleAddress("3b24", carriedOf(imported)),
        "http://console",
      );
      expect(pathname).toBe("/catalogues/3b24/schedules/new");
      const { bounds, ...carried } = carriedIn(searchParams);
      const { agency, region, detail, updateExisting, hours: lookbackHours } = imported;
      expect(carried).toEqual({ agency, region, detail, updateExisting, lookbackHours });
      const given = Object.entries(bounds).filter(([, typed]) => typed !== "");
      expect(Object.fromEntries(given)).toEqual(imported.bounds);
    }),
  );
});

test("a schedule asks for whole hours, and for a day where the import had two times", () => {
  expect(carriedOf({ ...NEW_FORM, hours: "0.4" }).lookbackHours).toBe("1");
  expect(carriedOf({ ...NEW_FORM, hours: "36.2" }).lookbackHours).toBe("37");
  expect(carriedOf({ ...NEW_FORM, window: "dates", hours: "5" }).lookbackHours).toBe("24");
});

const OWN = {
  name: "ours",
  from: "ML",
  to: "Mw",
  slope: 0.9,
  intercept: -0.1,
  sigma: 0.2,
  range: [3, 6.5] as [number, number],
  reference: "fitted to 214 events",
};

test("a config comes out of its form as it went in", () => {
  const config = MergeConfig.parse({
    timeThreshold: 16,
    distanceThreshold: 100,
    mergeStrategy: "priority",
    priority: "label 1",
    linkage: "nearest",
    follow: true,
    prefer: { location: ["ISC", "NEIC"], magnitude: "quality" },
    minMagnitudeStations: 2,
    windows: [
      {
        sources: ["label 1"],
        to: "1964-01-01T00:00:00Z",
        timeThreshold: null,
        distanceThreshold: null,
      },
      { from: "1990-06-01T12:30:00Z", minMagnitude: 4.5, timeThreshold: 5, distanceThreshold: 20 },
    ],
    conversions: [OWN, { ...OWN, name: "theirs", agency: "WEL" }],
  });
  expect(MergeConfig.parse(configOf(formOfConfig(config)))).toEqual(config);
  const least = {
    timeThreshold: 1,
    distanceThreshold: 2,
    mergeStrategy: "newest",
    linkage: "complete",
  };
  expect(configOf(formOfConfig(MergeConfig.parse(least)))).toEqual(least);
});

testRows(
  "a rule begins at a time as people write it",
  [
    ["1964", "1964-01-01T00:00:00Z"],
    ["1964-05", "1964-05-01T00:00:00Z"],
    ["1964-05-02 10:20", "1964-05-02T10:20:00Z"],
    [" 1964-05-02  10:20:30.5 ", "1964-05-02T10:20:30.5Z"],
  ],
  (typed, iso) => {
    const windows = [{ ...NEW_WINDOW, isExempt: true, from: typed }];
    const { windows: [window] = [] } = configOf({
      ...NEW_MERGE,
      further: { ...NEW_MERGE.further, windows },
    });
    expect(window?.from).toBe(iso);
  },
);

const QUIET: Run = {
  id: "00000000-0000-4000-8000-000000000000",
  catalogue_id: "00000000-0000-4000-8000-000000000001",
  schedule_id: "00000000-0000-4000-8000-000000000002",
  start_time: "2026-01-01T00:00:00.000Z",
  end_time: "2026-01-01T00:00:01.000Z",
  window_start: "2025-01-01T00:00:00.000Z",
  window_end: "2026-01-01T00:00:00.000Z",
  total_fetched: 12,
  new_events: 0,
  updated_events: 0,
  skipped_events: 12,
  errors: null,
  created_at: "2026-01-01T00:00:01.000Z",
};

const SCHEDULE: Schedule = {
  id: "00000000-0000-4000-8000-000000000002",
  catalogueId: "00000000-0000-4000-8000-000000000001",
  agency: "usgs",
  everyMinutes: 60,
  lookbackHours: 168,
  ...{ minMagnitude: null, maxMagnitude: null, minDepth: null, maxDepth: null },
  ...{
    minLatitude: null,
    maxLatitude: null,
    minLongitude: null,
    maxLongitude: null,
    polygon: null,
    region: null,
  },
  detail: "full",
  updateExisting: true,
  withdrawn: "mark",
  push: false,
  paused: false,
  running: false,
  created_by: "user_1",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
  last_run: null,
  last_whole: null,
  next_run: null,
  failures: 0,
  error: null,
};

testRows(
  "an interval between runs is told in the largest whole unit",
  [
    [5, "every 5 minutes"],
    [60, "every hour"],
    [90, "every 90 minutes"],
    [720, "every 12 hours"],
    [1_440, "every day"],
    [10_080, "every 7 days"],
  ],
  (minutes, words) => expect(everyText(minutes)).toBe(words),
);

test("how far a run looks back is told in the largest whole unit", () => {
  expect([1, 24, 36, 168, 87_600].map(lookbackText)).toEqual([
    "the last hour",
    "the last day",
    "the last 36 hours",
    "the last 7 days",
    "the last 3,650 days",
  ]);
});

test("a form that is opened and saved changes nothing", () => {
  const bound = fc.option(fc.integer({ min: -90, max: 90 }), { nil: null });
  const regions = fc.option(fc.uuid(), { nil: null });
  fc.assert(
    fc.property(bound, bound, regions, fc.boolean(), (minMagnitude, maxLongitude, region, push) => {
      const schedule = { ...SCHEDULE, minMagnitude, maxLongitude, region, push };
      expect(schedule).toMatchObject(settingsOf(formOf(schedule)));
    }),
  );
});

test("runs without changes are folded, and all runs are told of", () => {
  const run = fc.constantFrom<Partial<Run>>(
    {},
    {},
    { new_events: 1 },
    { updated_events: 2 },
    { withdrawn_events: 1 },
    { withheld: 4 },
    { errors: [{ message: "the agency is down", code: "AGENCY_UNAVAILABLE" }] },
  );
  fc.assert(
    fc.property(fc.array(run), (parts) => {
      const runs = parts.map((part, i): Run => ({ ...QUIET, ...part, id: `run ${i}` }));
      const groups = groupsOf(runs);
      const told = groups.filter(({ newest }) => !isQuiet(newest)).map(({ newest }) => newest);
      expect(told).toEqual(runs.filter((_, i) => Object.keys(parts[i] ?? {}).length > 0));
      expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(runs.length);
      const beside = groups.some(
        ({ newest }, i) =>
          isQuiet(newest) && isQuiet(groups[i + 1]?.newest ?? { ...QUIET, new_events: 1 }),
      );
      expect(beside).toBe(false);
    }),
  );
});

test("a catalogue is as current as the schedule that is most behind; paused ones do not count beside others", () => {
  const at = (hour: number, paused = false): Schedule => ({
    ...SCHEDULE,
    last_whole: `2026-01-01T0${hour}:00:00.000Z`,
    paused,
  });
  expect(leastCurrent([at(3), at(2), at(1, true)])).toEqual(at(2));
  expect(leastCurrent([at(3), SCHEDULE])).toEqual(SCHEDULE);
  expect(leastCurrent([at(3, true), at(1, true)])).toEqual(at(1, true));
  expect(leastCurrent([])).toBeUndefined();
});
