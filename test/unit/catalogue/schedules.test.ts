import { test } from "vitest";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";
import { changeSchedule, endSchedule, makeSchedule } from "#services/domain/catalogue/schedules.ts";
import { given } from "./scenario.ts";

const catalogueId = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const idOf = (n: number) => `8c1d2a5e-7b0f-4c55-8f0e-${String(n).padStart(12, "0")}`;
const maker = "user_1_a";
const settings: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 48, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};

const created: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Wellington", isPublic: false, createdBy: maker },
};
const deleted: CatalogueEvent = { type: "CatalogueDeleted", data: { catalogueId } };
const made = (n: number): CatalogueEvent => ({
  type: "ScheduleMade",
  data: { catalogueId, scheduleId: idOf(n), maker, settings },
});
const ended: CatalogueEvent = { type: "ScheduleEnded", data: { catalogueId, scheduleId: idOf(1) } };
const schedule = { scheduleId: idOf(1), maker, settings };

test("a schedule is recorded with its settings, whole, and who made it", () => {
  given(created)
    .when((state) => makeSchedule(state, schedule))
    .then(made(1));
});

test("a catalogue has 100 schedules at most, ended ones not counted", () => {
  const many = Array.from({ length: 99 }, (_, i) => made(i + 2));
  given(created, made(1), ...many)
    .when((state) => makeSchedule(state, { ...schedule, scheduleId: idOf(500) }))
    .thenRefused("CONFLICT");
  given(created, made(1), ended, ...many)
    .when((state) => makeSchedule(state, { ...schedule, scheduleId: idOf(500) }))
    .then(made(500));
});

test("a change is recorded with the settings, whole", () => {
  const changed = { ...settings, everyMinutes: 5 };
  given(created, made(1))
    .when((state) => changeSchedule(state, idOf(1), (now) => ({ ...now, everyMinutes: 5 })))
    .then({
      type: "ScheduleChanged",
      data: { catalogueId, scheduleId: idOf(1), settings: changed },
    });
});

test("a change to what is so already makes no event", () => {
  given(created, made(1))
    .when((state) => changeSchedule(state, idOf(1), (now) => ({ ...now, everyMinutes: 60 })))
    .then();
});

test("a schedule is ended once", () => {
  given(created, made(1))
    .when((state) => endSchedule(state, idOf(1)))
    .then(ended);
  given(created, made(1), ended)
    .when((state) => endSchedule(state, idOf(1)))
    .thenRefused("NOT_FOUND");
});

test("a deleted catalogue has no schedules", () => {
  given(created, made(1), deleted)
    .when((state) => changeSchedule(state, idOf(1), (now) => now))
    .thenRefused("NOT_FOUND");
  given(created, deleted)
    .when((state) => makeSchedule(state, schedule))
    .thenRefused("NOT_FOUND");
});
