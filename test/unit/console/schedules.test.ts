import fc from "fast-check";
import { expect, test } from "vitest";
import { CreateScheduleBody, type Schedule } from "#contracts/http/schedules.ts";
import { leastCurrent } from "#services/console/features/schedules/least-current.ts";
import { groupsOf, type Run } from "#services/console/features/schedules/runs.ts";
import {
  formOf,
  newForm,
  readingOf,
  settingsOf,
} from "#services/console/features/schedules/schedule-form.ts";
import {
  everyOptions,
  everyText,
  filtersText,
  firstText,
  lookbackText,
} from "#services/console/features/schedules/words.ts";

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

test.each([
  [5, "every 5 minutes"],
  [60, "every hour"],
  [90, "every 90 minutes"],
  [720, "every 12 hours"],
  [1_440, "every day"],
  [10_080, "every 7 days"],
])("%d minutes are %s", (minutes, words) => expect(everyText(minutes)).toBe(words));

test("the first run is told as long after the making as there is between two", () => {
  expect([5, 60, 180, 1_440].map(firstText)).toEqual([
    "in 5 minutes",
    "in an hour",
    "in 3 hours",
    "in a day",
  ]);
});

test("how far a run looks back is told in the largest whole unit", () => {
  expect([1, 24, 36, 168, 87_600].map(lookbackText)).toEqual([
    "the last hour",
    "the last day",
    "the last 36 hours",
    "the last 7 days",
    "the last 3,650 days",
  ]);
});

test("an interval that is set can be chosen, in its place among the usual ones", () => {
  const values = everyOptions("90").map(({ value }) => Number(value));
  expect(values).toContain(90);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(everyOptions("60")).not.toContainEqual({ value: "90", text: "every 90 minutes" });
});

test("filters are told in words, and that there are none", () => {
  expect(filtersText({ ...SCHEDULE, minMagnitude: 2.5, maxDepth: 40 })).toBe(
    "M ≥ 2.5, depth ≤ 40 km",
  );
  expect(filtersText(SCHEDULE)).toBe("all magnitudes, depths and places");
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

test("a form keeps what the columns of a table are, and leaves out those without a name", () => {
  const columns = { K: "magnitude", remark: null };
  const form = formOf({ ...SCHEDULE, join: "source_id", columns });
  expect(readingOf(form)).toEqual({ join: "source_id", columns });
  const rows = [...form.columns, { name: " ", target: "depth" }];
  expect(readingOf({ ...form, columns: rows }).columns).toEqual(columns);
  expect(readingOf(formOf(SCHEDULE))).toEqual({ join: null, columns: null });
});

test("a new form is one that the service takes", () => {
  const settings = settingsOf(newForm(new URLSearchParams("minMagnitude=3&agency=usgs")));
  const { catalogueId } = SCHEDULE;
  expect(CreateScheduleBody.parse({ catalogueId, ...settings })).toMatchObject({
    agency: "usgs",
    everyMinutes: 60,
    lookbackHours: 24,
    minMagnitude: 3,
    maxMagnitude: null,
  });
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
      const told = groups.flatMap((group) => (group.kind === "told" ? [group.run] : []));
      expect(told).toEqual(runs.filter((_, i) => Object.keys(parts[i] ?? {}).length > 0));
      const quiet = groups.reduce((sum, group) => sum + ("count" in group ? group.count : 0), 0);
      expect(told.length + quiet).toBe(runs.length);
      const beside = groups.some(
        ({ kind }, i) => kind === "quiet" && groups[i + 1]?.kind === "quiet",
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
