import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFdsnTime } from "#contracts/fdsn/fdsn-time.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { queryOf } from "./parsed.ts";

describe("a time of a query", () => {
  testRows(
    "a time is understood in the forms of the standard and of clients",
    [
      ["2020-01-31", "2020-01-31T00:00:00Z"],
      ["2020-01-31T06:07:08", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07:08.5", "2020-01-31T06:07:08.5Z"],
      ["2020-01-31T06:07:08.123456", "2020-01-31T06:07:08.123456Z"],
      ["2020-01-31T06:07:08Z", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07:08.25+01:00", "2020-01-31T05:07:08.25Z"],
      ["2020-01-31T06:07:08-10:30", "2020-01-31T16:37:08Z"],
      ["2020-01-31 06:07:08", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07", "2020-01-31T06:07:00Z"],
      ["2020-01-31T24:00:00", "2020-02-01T00:00:00Z"],
      ["2016-12-31T23:59:60", "2017-01-01T00:00:00Z"],
      ["2016-12-31T23:58:60.5Z", "2016-12-31T23:59:00.5Z"],
    ],
    (text, expected) => {
      expect(parseFdsnTime(text)).toBe(expected);
      expect(queryOf(`starttime=${encodeURIComponent(text)}`).filters.startTime).toBe(expected);
      expect(queryOf(`updatedafter=${encodeURIComponent(text)}`).updatedAfter).toBe(expected);
    },
  );

  testRows(
    "a time of more than six decimals is cut, as a start and as an end",
    [
      ["2020-01-31T06:07:08.1234567", "08.123456Z"],
      ["2020-01-31 06:07:08.999999999Z", "08.999999Z"],
    ],
    (text, second) => {
      const { filters } = queryOf(`starttime=${text}&endtime=${text}`);
      expect(filters.startTime).toBe(`2020-01-31T06:07:${second}`);
      expect(filters.endTime).toBe(`2020-01-31T06:07:${second}`);
    },
  );

  test("a plus that is not encoded, and so a blank, still begins the zone", () => {
    const { filters } = queryOf(
      "starttime=2020-01-31T06:07:08+01:00&endtime=2020-01-31+06:07+0030",
    );
    expect(filters.startTime).toBe("2020-01-31T05:07:08Z");
    expect(filters.endTime).toBe("2020-01-31T05:37:00Z");
  });

  test("a blank before a time of day is no zone", () => {
    expect(queryOf("starttime=2020-01-31+01:00").filters.startTime).toBe("2020-01-31T01:00:00Z");
  });

  const two = (value: number) => String(value).padStart(2, "0");
  const anyTime = fc.record({
    day: fc.integer({
      min: Date.UTC(1000, 0, 1) / 86_400_000,
      max: Date.UTC(9998, 0, 1) / 86_400_000,
    }),
    clock: fc.oneof(
      fc.constant(null),
      fc.record({
        hour: fc.nat({ max: 23 }),
        minute: fc.nat({ max: 59 }),
        second: fc.option(fc.nat({ max: 60 })),
        fraction: fc.stringMatching(/^\d{0,9}$/),
        separator: fc.constantFrom("T", "t", " "),
        zone: fc.constantFrom("", "Z", "z", "+00:00", "-03:30", "+13:45"),
      }),
      fc.constant({
        hour: 24,
        minute: 0,
        second: 0,
        fraction: "",
        separator: "T",
        zone: "",
      }),
    ),
  });

  test("any form is the instant that the calendar of JavaScript gives", () => {
    fc.assert(
      fc.property(anyTime, ({ day, clock }) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        const fraction = clock === null || clock.second === null ? "" : clock.fraction;
        const text =
          clock === null
            ? date
            : `${date}${clock.separator}${two(clock.hour)}:${two(clock.minute)}` +
              `${clock.second === null ? "" : `:${two(clock.second)}`}` +
              `${fraction === "" ? "" : `.${fraction}`}${clock.zone}`;
        const { hour = 0, minute = 0, second = 0, zone = "" } = clock ?? {};
        const [, sign, zoneHour, zoneMinute] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
        const zoneMinutes =
          (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * (sign === "-" ? -1 : 1);
        const seconds =
          day * 86_400 + hour * 3600 + (minute - zoneMinutes) * 60 + Number(second ?? 0);
        const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
        const kept = fraction.slice(0, 6);
        expect(parseFdsnTime(text), text).toBe(`${whole}${kept === "" ? "" : `.${kept}`}Z`);
      }),
      { numRuns: runs(2000) },
    );
  });
});
