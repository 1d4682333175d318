import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { timeOfParts, timePartNames } from "#contracts/seismic-event/split-time.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const NAMES = ["year", "month", "day", "hour", "minute", "second"];
const PARTS = timePartNames(NAMES) ?? new Map();

test("a time in parts is what the calendar makes of it, full minutes and seconds included", () => {
  const clock = fc.record({
    year: fc.integer({ min: 1000, max: 2020 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 60 }),
    second: fc.integer({ min: 0, max: 99_999 }).map((milliseconds) => milliseconds / 1000),
  });
  fc.assert(
    fc.property(clock, (values) => {
      const { year, month, day, hour, minute, second } = values;
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      date.setUTCHours(hour, minute, 0, Math.round(second * 1000));
      const split = timeOfParts(values, PARTS);
      expect(Date.parse(parseTime(split?.time ?? "") ?? "")).toBe(date.getTime());
      expect(split?.carried).toBe(minute === 60 || second >= 60);
    }),
    { numRuns: runs(5000) },
  );
});

testRows(
  "parts beyond their range make none",
  [
    [{ minute: 61 }],
    [{ second: 100 }],
    [{ hour: 25, minute: 60 }],
    [{ month: 13, minute: 60 }],
    [{ day: 31, month: 2, second: 75 }],
    [{ year: 9999, month: 12, day: 31, hour: 24, minute: 60 }],
  ],
  (beyond) => {
    const split = timeOfParts({ year: 2011, month: 3, day: 11, hour: 5, ...beyond }, PARTS);
    expect(parseTime(split?.time ?? "")).toBeNull();
  },
);

test("the digits of the seconds are kept where they are carried", () => {
  const values = { year: "2011", month: "3", day: "11", hour: "5", minute: "60", second: "1.500" };
  expect(timeOfParts(values, PARTS)).toEqual({ time: "2011-03-11T06:00:01.500Z", carried: true });
});

testRows(
  "parts of the day may be missing, but not before a later one",
  [
    [{ hour: 3 }, "2011-03-11T03:00:00Z"],
    [{ hour: 3, minute: "", second: 0 }, "2011-03-11T03:00:00Z"],
    [{ minute: 5 }, null],
    [{ hour: 3, second: 7 }, null],
    [{ hour: "", minute: "", second: "0.5" }, null],
  ],
  (clock, time) => {
    const split = timeOfParts({ year: 2011, month: 3, day: 11, ...clock }, PARTS);
    expect(parseTime(split?.time ?? "")).toBe(time);
  },
);
