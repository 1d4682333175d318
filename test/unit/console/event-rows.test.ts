import { expect, test } from "vitest";
import { eventRow, isoTime } from "#services/console/api/event-rows.ts";
import { csvOf } from "#services/console/ui/text/csv.ts";
import { columnsOf } from "./support/columns.ts";

test("an event's row has the digits of single precision, microseconds, and nothing where nothing is known", () => {
  const columns = columnsOf({
    time: [Date.UTC(2016, 10, 13, 11, 2, 56, 346) + 0.12],
    latitude: [-42.69],
    longitude: [173.022],
    depth: [15.1],
    magnitude: [null],
  });
  expect(csvOf(["id", "time"], [eventRow(columns, 0)])).toBe(
    "id,time\r\n0,2016-11-13T11:02:56.346120Z,-42.69,173.022,15.1,\r\n",
  );
});

test("a time before 1970 keeps its microseconds", () => {
  expect(isoTime(-0.5)).toBe("1969-12-31T23:59:59.999500Z");
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
});

test("texts that a spreadsheet would run as formulas are guarded, negative numbers are not", () => {
  expect(
    csvOf(
      ["name", "value"],
      [
        ["=1+1", -1],
        ["plain", null],
      ],
    ),
  ).toBe("name,value\r\n'=1+1,-1\r\nplain,\r\n");
});
