import { expect, test } from "vitest";
import { isAnswerTo, type ScheduleSettings, standsFor } from "#contracts/events/imports.ts";
import { CreateScheduleBody, UpdateScheduleBody } from "#contracts/http/imports.ts";
import { planRun, settingsOf, windowOf, withChanges } from "#services/domain/imports/schedule.ts";
import { testRows } from "../../support/test-rows.ts";

const SETTINGS: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 48, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};
const REGION = "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20";
const SOURCE = { url: "https://agency.example/fdsnws/event/1", dialect: "geonet" };
const NOW = new Date("2026-11-26T12:00:00.000Z");
const known = Uint8Array.of(1, 2, 3);
const LAST = "2026-11-26T11:00:00.000Z";
const before = (lastAskedWhole: string | null, lastAsked: string | null = LAST) => ({
  isValid: true,
  lastAsked,
  lastAskedWhole,
  known,
});

test("the window ends now", () => {
  expect(windowOf(SETTINGS, NOW)).toEqual({
    start: "2026-11-24T12:00:00.000Z",
    end: "2026-11-26T12:00:00.000Z",
  });
});

test("everything is asked for where nothing is known, or what is known stands for something else", () => {
  const everything = { updatedAfter: null, isThorough: true, known: null };
  expect(planRun({ ...before(LAST), isValid: false }, NOW)).toEqual(everything);
  const nothing = { isValid: false, lastAsked: null, lastAskedWhole: null, known: null };
  expect(planRun(nothing, NOW)).toEqual(everything);
});

test("a run within a day of the last that asked for the whole window asks for what changed since the last answer, five minutes more", () => {
  expect(planRun(before("2026-11-25T12:00:00.001Z"), NOW)).toEqual({
    updatedAfter: "2026-11-26T10:55:00.000Z",
    isThorough: false,
    known,
  });
});

test("the whole window is asked for once a day, beside what is known of it", () => {
  const whole = { updatedAfter: null, isThorough: false, known };
  expect(planRun(before("2026-11-25T12:00:00.000Z"), NOW)).toEqual(whole);
  expect(planRun(before(null), NOW)).toEqual(whole);
  expect(planRun(before(LAST, null), NOW)).toEqual(whole);
});

testRows(
  "what is known by another setting stands for something else",
  [
    ["agency", { agency: "usgs" }],
    ["window", { lookbackHours: 24 }],
    ["filters", { filters: { ...SETTINGS.filters, minMagnitude: 1 } }],
    ["detail", { detail: "summary" }],
    ["handling of what is there", { updateExisting: false }],
    ["handling of what is withdrawn", { withdrawn: "keep" }],
  ] as const,
  (_, change) => {
    const other: ScheduleSettings = { ...SETTINGS, ...change };
    expect(standsFor(other, SOURCE)).not.toBe(standsFor(SETTINGS, SOURCE));
    expect(isAnswerTo(other, standsFor(SETTINGS, SOURCE))).toBe(false);
  },
);

testRows(
  "what came from another source of the agency stands for something else",
  [
    ["address", { url: "https://other.example/fdsnws/event/1" }],
    ["dialect", { dialect: "fdsn" }],
  ],
  (_, change) => {
    const standing = standsFor(SETTINGS, SOURCE);
    expect(standsFor(SETTINGS, { ...SOURCE, ...change })).not.toBe(standing);
    expect(isAnswerTo(SETTINGS, standing)).toBe(true);
  },
);

test("what came of another geometry of the region stands for something else", () => {
  const regional = { ...SETTINGS, filters: { ...SETTINGS.filters, region: REGION } };
  const standing = standsFor(regional, { ...SOURCE, regionArea: { revision: "a1" } });
  expect(standsFor(regional, { ...SOURCE, regionArea: { revision: "b2" } })).not.toBe(standing);
  expect(isAnswerTo(regional, standing, "a1")).toBe(true);
  expect(isAnswerTo(regional, standing, "b2")).toBe(false);
  expect(isAnswerTo(SETTINGS, standing)).toBe(false);
});

test("what is known stays when a schedule is paused, pushed or run more often", () => {
  const other = { ...SETTINGS, everyMinutes: 5, push: true, paused: true, pausedBecause: "so" };
  expect(standsFor(other, SOURCE)).toBe(standsFor(SETTINGS, SOURCE));
});

const CATALOGUE = "00000000-0000-4000-8000-000000000001";
const JOINED = { join: "source_id", columns: { lat: "latitude" } } as const;

function made(members: object) {
  const body = { catalogueId: CATALOGUE, agency: "geonet", everyMinutes: 60, lookbackHours: 24 };
  return settingsOf(CreateScheduleBody.parse({ ...body, ...members }));
}

const changed = (before: ReturnType<typeof made>, body: object) =>
  withChanges(before, UpdateScheduleBody.parse(body));

test("a change that says what is so already leaves the settings as they are, to the byte", () => {
  for (const settings of [made({}), made(JOINED), made({ minMagnitude: 3, push: true })]) {
    const { join, columns, everyMinutes } = settings;
    const same = changed(settings, { columns, join, everyMinutes });
    expect(JSON.stringify(same)).toBe(JSON.stringify(settings));
  }
});

test("null takes away what is said of a table; resuming forgets why the service paused", () => {
  expect(changed(made(JOINED), { join: null, columns: null })).toEqual(made({}));
  const paused = { ...made({}), paused: true, pausedBecause: "The agency is gone" };
  expect(changed(paused, { everyMinutes: 60 })).toEqual(paused);
  expect(changed(paused, { paused: false })).toEqual(made({}));
});

test("a bound above the other one is refused, also where one of them was there before", () => {
  expect(() => changed(made({ maxMagnitude: 3 }), { minMagnitude: 4 })).toThrow("is above");
});
