import { expect, test } from "vitest";
import { CreateScheduleBody, UpdateScheduleBody } from "#contracts/http/schedules.ts";
import { settingsOf, withChanges } from "#services/domain/schedule/schedule-settings.ts";

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
