import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUS } from "#contracts/plots/number-text.ts";
import {
  ago,
  count,
  counted,
  day,
  decimal,
  events,
  latitude,
  longitude,
  minute,
  time,
  UNKNOWN,
  versionName,
} from "#services/console/ui/text/format.ts";

/** A text that is shown, as the number it stands for. */
const read = (text: string): number => Number(text.replaceAll(",", "").replace(MINUS, "-"));

describe("whole numbers", () => {
  test("are grouped by thousands and read back", () => {
    expect([count(0), count(999), count(18_650), count(-1_000_000)]).toEqual([
      "0",
      "999",
      "18,650",
      `${MINUS}1,000,000`,
    ]);
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const text = count(value);
        expect(read(text) === value).toBe(true);
        expect(text).toMatch(/^\u2212?\d{1,3}(?:,\d{3})*$/);
      }),
    );
  });

  test("stand with their noun, one of it without an s", () => {
    expect([0, 1, 2, 1_234].map(events)).toEqual([
      "0 events",
      "1 event",
      "2 events",
      "1,234 events",
    ]);
    expect([0, 1, 2].map((value) => counted(value, "account"))).toEqual([
      "0 accounts",
      "1 account",
      "2 accounts",
    ]);
  });

  test("of versions stand behind their noun, as do times", () => {
    expect([1, "1234", "2016-11-13"].map(versionName)).toEqual(["1", "1,234", "of 2016-11-13"]);
  });
});

describe("decimals", () => {
  test("have so many digits and a true minus", () => {
    expect([decimal(4.25, 2), decimal(-4.25, 2), decimal(5, 1)]).toEqual([
      "4.25",
      `${MINUS}4.25`,
      "5.0",
    ]);
  });

  test("that round to nothing have no sign", () => {
    expect([decimal(-0.001, 1), decimal(-0, 0), decimal(-0.04, 1), decimal(-0.06, 1)]).toEqual([
      "0.0",
      "0",
      "0.0",
      `${MINUS}0.1`,
    ]);
  });

  test("that are not known are a dash", () => {
    expect([null, undefined, Number.NaN].map((value) => decimal(value, 1))).toEqual([
      UNKNOWN,
      UNKNOWN,
      UNKNOWN,
    ]);
  });

  test("are as near to the number as their digits allow", () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 6 }), (value, digits) => {
        const text = decimal(value, digits);
        expect(Math.abs(read(text) - value)).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-9);
        expect(text.split(".")[1]?.length ?? 0).toBe(digits);
        expect(text.startsWith(MINUS)).toBe(read(text) < 0);
      }),
    );
  });
});

describe("degrees", () => {
  test("name their half of the world", () => {
    expect([latitude(-42.69), latitude(42.69, 1), longitude(173.02), longitude(-0.5, 2)]).toEqual([
      "42.6900° S",
      "42.7° N",
      "173.0200° E",
      "0.50° W",
    ]);
  });

  test("of the equator and of Greenwich are north and east, also where they round to it", () => {
    expect([latitude(0), latitude(-0.00001), longitude(0, 0), longitude(-0.2, 0)]).toEqual([
      "0.0000° N",
      "0.0000° N",
      "0° E",
      "0° E",
    ]);
  });

  test("read back", () => {
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (value) => {
        const [, degrees = "", half] = /^([\d.]+)° ([EW])$/.exec(longitude(value, 6)) ?? [];
        expect(Number(degrees) * (half === "W" ? -1 : 1)).toBeCloseTo(value, 5);
      }),
    );
  });
});

describe("times", () => {
  const iso = "2016-11-13T11:02:56.346123Z";

  test("keep the fraction that they have, to the minute or the day none", () => {
    expect([time(iso), minute(iso), day(iso)]).toEqual([
      "2016-11-13 11:02:56.346123",
      "2016-11-13 11:02",
      "2016-11-13",
    ]);
    expect(time("2016-11-13T11:02:56Z")).toBe("2016-11-13 11:02:56");
  });

  test("are the parts of their text", () => {
    const given = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(given, (date) => {
        const text = date.toISOString();
        expect(time(text).startsWith(minute(text))).toBe(true);
        expect(minute(text).startsWith(day(text))).toBe(true);
        expect(new Date(`${time(text).replace(" ", "T")}Z`)).toEqual(date);
      }),
    );
  });

  test("from now are told in the largest unit that has passed whole", () => {
    const now = Date.parse("2026-11-24T12:00:00Z");
    const before = (seconds: number) => ago(new Date(now - seconds * 1_000).toISOString(), now);
    expect([0, 59, 60, 119, 3_600, 86_399, 86_400, 40 * 86_400, 400 * 86_400].map(before)).toEqual([
      "just now",
      "just now",
      "1 minute ago",
      "1 minute ago",
      "1 hour ago",
      "23 hours ago",
      "1 day ago",
      "1 month ago",
      "1 year ago",
    ]);
    expect(before(-7_200)).toBe("in 2 hours");
  });
});
