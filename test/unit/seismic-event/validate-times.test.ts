import { describe, expect, test } from "vitest";
import { testRows } from "../../support/test-rows.ts";
import { errorsOf, MINIMAL_RECORD, recordOf, recordOfWhole } from "./validated-record.ts";

describe("a time", () => {
  testRows(
    "a time is kept",
    [
      ["2011-03-11 05:46:23", "2011-03-11T05:46:23Z"],
      ["2011-03-11T14:46:23.10+09:00", "2011-03-11T05:46:23.10Z"],
      ["2026-01-01T00:05:00.000Z", "2026-01-01T00:05:00.000Z"],
      ["1000-01-01", "1000-01-01T00:00:00Z"],
    ],
    (time, expected) => {
      expect(recordOf({ time }).time).toBe(expected);
    },
  );

  testRows(
    "a time that is none is refused",
    [
      ["2024-02-30", 'time is not a valid ISO 8601 time: "2024-02-30"'],
      ["05:46:23", 'time is not a valid ISO 8601 time: "05:46:23"'],
      [
        "05/04/2020",
        'time may be 2020-04-05 or 2020-05-04: "05/04/2020"; write it as YYYY-MM-DD, or say dateOrder of a kept upload',
      ],
      [1_299_822_383_000, "time must be an ISO 8601 text"],
      ["2026-01-01T00:05:00.001Z", "time must not be in the future"],
      ["2026-01-01T00:05:00.000001Z", "time must not be in the future"],
      ["0999-12-31T23:59:59Z", "time must not be before the year 1000"],
      ["", "time is required"],
      [null, "time is required"],
    ],
    (time, expected) => {
      expect(errorsOf({ time })).toEqual([expected]);
    },
  );

  testRows(
    "a time is found in any of its columns",
    [
      { date: "2011-03-11", time: "05:46:23.1" },
      { DATE: " 2011-03-11 ", TIME: " 5:46:23.1 " },
      { date: "2011/03/11", origin_time: "05:46:23.1Z" },
      { "Origin Time": "2011-03-11T05:46:23.1" },
      { datetime: "2011-03-11T05:46:23.1", time: "" },
      { timestamp: "2011-03-11T05:46:23.1Z", date: null },
    ],
    (given) => {
      const record = recordOfWhole({ latitude: 1, longitude: 2, mag: 3, ...given });
      expect(record.time).toBe("2011-03-11T05:46:23.1Z");
      expect(record.extra).toBeNull();
    },
  );

  testRows(
    "a time is put together of its parts",
    [
      { year: 2011, month: 3, day: 11, hour: 5, minute: 46, second: 23.1 },
      { Year: "2011", Mo: "03", Da: "11", Ho: "05", Mi: "46", Se: "23.1" },
      // ZMAP: a decimal year, every value a number in scientific notation or with a fraction.
      { year: 2011.189, month: "3.0", day: "11.0", hour: "5.0", minute: "46.", sec: "23.1" },
      { yr: 2011, mon: 3, dd: 11, time: "5:46:23.1" },
      { year: 2011, month: 3, day: 11, hh: 5, min: 45, ss: 83.1 - 23, time: null, date: "" },
    ],
    (given) => {
      const record = recordOfWhole({ latitude: 1, longitude: 2, mag: 3, ...given });
      expect(record.time).toMatch(/^2011-03-11T05:46:(23.1|00.1\d*)Z$/);
    },
  );

  test("a time of a date in parts without a time of day is midnight", () => {
    const given = { year: 2011, month: 3, day: 11, latitude: 1, longitude: 2, mag: 3 };
    expect(recordOfWhole(given)).toMatchObject({ time: "2011-03-11T00:00:00Z", extra: null });
  });

  test("a time that is whole leaves the parts beside it to the extra attributes", () => {
    const parts = { year: 2011, month: 3, day: 12, hour: 1 };
    expect(recordOf(parts)).toEqual({ ...MINIMAL_RECORD, extra: parts });
  });

  testRows(
    "a time in parts that are none is refused",
    [
      [{ year: 2011, month: 3 }, "time is required"],
      [{ year: 2011, month: 3, day: null }, "time is required: year 2011, month 3 make no date"],
      [{ year: 2011, month: 13, day: 1 }, 'time is not a valid ISO 8601 time: "2011-13-1 0:0:0"'],
      [
        { year: 2011, month: 3, day: 1, hour: 25 },
        'time is not a valid ISO 8601 time: "2011-3-1 25:0:0"',
      ],
      [{ year: 2011, month: 3.5, day: 1 }, 'time is not a valid ISO 8601 time: "2011-3.5-1 0:0:0"'],
    ],
    (parts, expected) => {
      expect(errorsOf({ time: null, ...parts })).toEqual([expected]);
    },
  );

  test("a time that is whole leaves a date beside it to the extra attributes", () => {
    expect(recordOf({ date: "2011-03-12" })).toEqual({
      ...MINIMAL_RECORD,
      extra: { date: "2011-03-12" },
    });
  });
});
