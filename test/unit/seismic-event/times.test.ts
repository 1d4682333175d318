import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareTimes,
  fractionDigits,
  microsToTime,
  postgresMicros,
  timeToMicros,
  timeToMilliseconds,
} from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { timeOfParts, timePartNames } from "#contracts/seismic-event/split-time.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const FIRST_MICROS = -62_135_596_800_000_000n;
const LAST_MICROS = 253_402_300_799_999_999n;

const micros = fc.bigInt({ min: FIRST_MICROS, max: LAST_MICROS });
const digits = fc.integer({ min: 0, max: 6 });
const canonicalTime = fc.tuple(micros, digits).map(([at, n]) => microsToTime(at, n));

testRows(
  "parseTime understands what is a time",
  [
    ["2011-03-11T05:46:23Z", "2011-03-11T05:46:23Z"],
    ["2011-03-11T05:46:23.120Z", "2011-03-11T05:46:23.120Z"],
    ["2011-03-11T05:46:23.123456Z", "2011-03-11T05:46:23.123456Z"],
    ["2011-03-11t05:46:23z", "2011-03-11T05:46:23Z"],
    ["2011-03-11T05:46:23.1", "2011-03-11T05:46:23.1Z"],
    ["2011-03-11 05:46:23,12", "2011-03-11T05:46:23.12Z"],
    ["2011-03-11  05:46:23 Z", "2011-03-11T05:46:23Z"],
    ["  2011-03-11T05:46:23Z\n", "2011-03-11T05:46:23Z"],
    ["2011-03-11", "2011-03-11T00:00:00Z"],
    ["2011/03/11 05:46", "2011-03-11T05:46:00Z"],
    ["2024-1-5 3:04:05.1", "2024-01-05T03:04:05.1Z"],
    ["20110311T054623.50Z", "2011-03-11T05:46:23.50Z"],
    ["20110311T0546", "2011-03-11T05:46:00Z"],
    ["2011-03-11T14:46:23.10+09:00", "2011-03-11T05:46:23.10Z"],
    ["2011-03-11T14:46:23+0900", "2011-03-11T05:46:23Z"],
    ["2011-03-11T14:46:23 +09", "2011-03-11T05:46:23Z"],
    ["2011-03-11T00:16:23-05:30", "2011-03-11T05:46:23Z"],
    ["2011-01-01T00:00:00+00:01", "2010-12-31T23:59:00Z"],
    ["2011-12-31T23:59:60.25Z", "2012-01-01T00:00:00.25Z"],
    ["2011-03-11T05:46:60", "2011-03-11T05:47:00Z"],
    ["2011-03-11T24:00:00.00Z", "2011-03-12T00:00:00.00Z"],
    ["2011-03-11T24:00", "2011-03-12T00:00:00Z"],
    ["2011-03-11T05:46:23.1234564", "2011-03-11T05:46:23.123456Z"],
    ["2011-03-11T05:46:23.1234565", "2011-03-11T05:46:23.123457Z"],
    ["2011-12-31T23:59:59.9999995Z", "2012-01-01T00:00:00.000000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
  ],
  (text, expected) => {
    expect(parseTime(text)).toBe(expected);
  },
);

testRows(
  "parseTime refuses what is none",
  [
    "",
    "now",
    "2011",
    "2011-03",
    "2011-13-01T00:00:00Z",
    "2011-00-01T00:00:00Z",
    "2011-04-31T00:00:00Z",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2011-03-11T25:00:00Z",
    "2011-03-11T24:00:01Z",
    "2011-03-11T24:00:00.1Z",
    "2011-03-11T05:60:00Z",
    "2011-03-11T05:46:61Z",
    "2011-03-11T05:46:23.Z",
    "2011-03-11T05:46:23.12a456Z",
    "2011-03-11T05:46:23+24:00",
    "2011-03-11T05:46:23+09:60",
    "2011-03-11T05:46:23+09:",
    "2011-03-11Z",
    "2011-03/11",
    "2011-03-11T05:46:23ZZ",
    "11-03-2011 05:46:23",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:60Z",
    "+002011-03-11T05:46:23Z",
    "２011-03-11T05:46:23Z",
    "1299822383000",
  ],
  (text) => {
    expect(parseTime(text)).toBeNull();
  },
);

test("parseTime keeps every canonical time as it is", () => {
  fc.assert(
    fc.property(canonicalTime, (time) => {
      expect(parseTime(time)).toBe(time);
    }),
  );
});

test("parseTime accepts exactly the days of the calendar", () => {
  const part = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), part, part, (year, month, day) => {
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
      expect(parseTime(`${text}T00:00:00Z`) !== null).toBe(exists);
      expect(parseTime(text) !== null).toBe(exists);
    }),
  );
});

test("parseTime moves a time with an offset by that offset", () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  const inner = fc.bigInt({ min: FIRST_MICROS + 10n ** 12n, max: LAST_MICROS - 10n ** 12n });
  fc.assert(
    fc.property(inner, digits, offset, (at, n, minutes) => {
      const local = microsToTime(at, n).slice(0, -1);
      const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, "0");
      const rest = String(Math.abs(minutes) % 60).padStart(2, "0");
      const zoned = `${local}${minutes < 0 ? "-" : "+"}${hours}:${rest}`;
      const utc = microsToTime(at - BigInt(minutes) * 60_000_000n, n);
      expect(parseTime(zoned)).toBe(utc);
    }),
  );
});

test("parseTime rounds more than six fractional digits half up, as integers do", () => {
  const long = fc.stringMatching(/^\d{7,25}$/);
  fc.assert(
    fc.property(long, (fraction) => {
      const scale = 10n ** BigInt(fraction.length - 6);
      const rounded = (BigInt(fraction) + scale / 2n) / scale;
      const expected = microsToTime(timeToMicros("1999-12-31T23:59:59Z") + rounded, 6);
      expect(parseTime(`1999-12-31T23:59:59.${fraction}Z`)).toBe(expected);
    }),
  );
});

test("parseTime cuts what is beyond microseconds where that is said", () => {
  const long = fc.stringMatching(/^\d{7,25}$/);
  fc.assert(
    fc.property(long, (fraction) => {
      const scale = 10n ** BigInt(fraction.length - 6);
      const micros = timeToMicros("1999-12-31T23:59:59Z") + BigInt(fraction) / scale;
      const time = parseTime(`1999-12-31T23:59:59.${fraction}Z`, "down");
      expect(time).toBe(microsToTime(micros, 6));
    }),
  );
});

test("microseconds of a time go to text and back", () => {
  fc.assert(
    fc.property(micros, (at) => {
      expect(timeToMicros(microsToTime(at, 6))).toBe(at);
    }),
  );
});

test("microseconds of a time agree with the built-in clock to the millisecond", () => {
  fc.assert(
    fc.property(micros, (at) => {
      const milliseconds = Number((at - (((at % 1000n) + 1000n) % 1000n)) / 1000n);
      expect(microsToTime(at, 3)).toBe(new Date(milliseconds).toISOString());
      expect(timeToMilliseconds(microsToTime(at, 3))).toBe(milliseconds);
    }),
  );
});

test("microseconds of a time are cut, not rounded, to fewer digits", () => {
  expect(microsToTime(-1n, 0)).toBe("1969-12-31T23:59:59Z");
  expect(microsToTime(1_999_999n, 1)).toBe("1970-01-01T00:00:01.9Z");
});

test("microseconds of a time are refused outside the years 0001 to 9999", () => {
  expect(() => microsToTime(FIRST_MICROS - 1n, 0)).toThrow(RangeError);
  expect(() => microsToTime(LAST_MICROS + 1n, 0)).toThrow(RangeError);
});

test("microseconds of a time count from 2000 for PostgreSQL", () => {
  expect(postgresMicros("2000-01-01T00:00:00Z")).toBe(0n);
  expect(postgresMicros("1999-12-31T23:59:59.5Z")).toBe(-500_000n);
});

test("compareTimes orders by instant, whatever the number of digits", () => {
  fc.assert(
    fc.property(canonicalTime, canonicalTime, (a, b) => {
      const difference = timeToMicros(a) - timeToMicros(b);
      expect(Math.sign(compareTimes(a, b))).toBe(difference < 0n ? -1 : Number(difference > 0n));
    }),
  );
});

test("compareTimes finds times equal that differ in trailing zeros alone", () => {
  expect(compareTimes("2011-03-11T05:46:23Z", "2011-03-11T05:46:23.000Z")).toBe(0);
  expect(compareTimes("2011-03-11T05:46:23.1Z", "2011-03-11T05:46:23.100001Z")).toBeLessThan(0);
});

test("fractionDigits counts the digits as given", () => {
  expect(fractionDigits("2011-03-11T05:46:23Z")).toBe(0);
  expect(fractionDigits("2011-03-11T05:46:23.120Z")).toBe(3);
});

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
