import { expect } from "vitest";
import { decimalYear } from "#contracts/query/calendar-units.ts";
import { testRows } from "../../../support/test-rows.ts";

testRows(
  "a time is a decimal year",
  [
    ["2022-01-01T00:00:00Z", 2022],
    ["2024-07-02T00:00:00Z", 2024.5],
    ["0060-01-01T00:00:00Z", 60],
    ["0099-07-02T12:00:00Z", 99.5],
  ],
  (time, year) => {
    expect(decimalYear(Date.parse(time))).toBeCloseTo(year, 9);
  },
);
