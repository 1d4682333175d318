import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { epochMilliseconds } from "#infra/formats/facade-event.ts";
import { millisecondTime, paddedTime } from "#infra/formats/facade-row.ts";
import { pastTime } from "../../../support/arbitrary-record.ts";
import { testRows } from "../../../support/test-rows.ts";

describe("a time for clients", () => {
  testRows(
    "a time for clients has 0, 3 or 6 digits, and whole milliseconds where they count those",
    [
      ["2016-11-13T11:02:56Z", "2016-11-13T11:02:56Z", "2016-11-13T11:02:56.000Z"],
      ["2016-11-13T11:02:56.3Z", "2016-11-13T11:02:56.300Z", "2016-11-13T11:02:56.300Z"],
      ["2016-11-13T11:02:56.34Z", "2016-11-13T11:02:56.340Z", "2016-11-13T11:02:56.340Z"],
      ["2016-11-13T11:02:56.346Z", "2016-11-13T11:02:56.346Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.3460Z", "2016-11-13T11:02:56.346000Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.34609Z", "2016-11-13T11:02:56.346090Z", "2016-11-13T11:02:56.346Z"],
      ["2016-11-13T11:02:56.999999Z", "2016-11-13T11:02:56.999999Z", "2016-11-13T11:02:56.999Z"],
    ],
    (time, padded, milliseconds) => {
      expect(paddedTime(time)).toBe(padded);
      expect(millisecondTime(time)).toBe(milliseconds);
    },
  );

  test("a time for clients is the same instant with 0, 3 or 6 digits", () => {
    fc.assert(
      fc.property(pastTime, (time) => {
        const padded = paddedTime(time);
        expect(padded).toMatch(/:\d\d(?:\.\d{3}|\.\d{6})?Z$/);
        expect(timeToMicros(padded)).toBe(timeToMicros(time));
      }),
    );
  });

  test("a time for clients in milliseconds is the last millisecond that has begun, also before 1970", () => {
    fc.assert(
      fc.property(pastTime, (time) => {
        const micros = timeToMicros(time);
        const milliseconds = micros / 1000n - (micros % 1000n < 0n ? 1n : 0n);
        expect(millisecondTime(time)).toBe(microsToTime(milliseconds * 1000n, 3));
        expect(epochMilliseconds(time)).toBe(Number(milliseconds));
      }),
    );
  });
});
