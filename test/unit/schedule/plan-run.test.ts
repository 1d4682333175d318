import { expect, test } from "vitest";
import { type ScheduleSettings, standsFor } from "#contracts/schedule.ts";
import { planRun } from "#services/domain/schedule/plan-run.ts";

const SETTINGS: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 48, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};
const NOW = new Date("2026-11-26T12:00:00.000Z");
const known = Uint8Array.of(1, 2, 3);
const before = (lastAskedWhole: string | null, settings = SETTINGS) => ({
  standsFor: standsFor(settings),
  lastAskedWhole,
  known,
});
const window = { start: "2026-11-24T12:00:00.000Z", end: "2026-11-26T12:00:00.000Z" };

test("the first run asks for everything in the window", () => {
  const nothing = { standsFor: null, lastAskedWhole: null, known: null };
  expect(planRun(SETTINGS, nothing, NOW)).toEqual({
    window,
    updatedAfter: null,
    isThorough: true,
    known: null,
  });
});

test("a run within a day of the last that asked for the whole window asks for what changed since, five minutes more", () => {
  expect(planRun(SETTINGS, before("2026-11-25T12:00:00.001Z"), NOW)).toEqual({
    window,
    updatedAfter: "2026-11-25T11:55:00.001Z",
    isThorough: false,
    known,
  });
});

test("the whole window is asked for once a day, beside what is known of it", () => {
  expect(planRun(SETTINGS, before("2026-11-25T12:00:00.000Z"), NOW)).toEqual({
    window,
    updatedAfter: null,
    isThorough: false,
    known,
  });
});

test.each([
  ["agency", { agency: "usgs" }],
  ["window", { lookbackHours: 24 }],
  ["filters", { filters: { ...SETTINGS.filters, minMagnitude: 1 } }],
  ["detail", { detail: "summary" }],
  ["handling of what is there", { updateExisting: false }],
  ["handling of what is withdrawn", { withdrawn: "keep" }],
] as const)("what is known by another %s is worth nothing", (_, change) => {
  const other: ScheduleSettings = { ...SETTINGS, ...change };
  const plan = planRun(other, before("2026-11-26T11:00:00.000Z"), NOW);
  expect(plan).toMatchObject({ updatedAfter: null, isThorough: true, known: null });
});

test("what is known stays when a schedule is paused, pushed or run more often", () => {
  const other = { ...SETTINGS, everyMinutes: 5, push: true, paused: true, pausedBecause: "so" };
  const plan = planRun(other, before("2026-11-26T11:00:00.000Z"), NOW);
  expect(plan).toMatchObject({ updatedAfter: "2026-11-26T10:55:00.000Z", known });
});
