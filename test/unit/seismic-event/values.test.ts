import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
} from "#contracts/seismic-event/attributes.ts";
import type { ColumnTarget } from "#contracts/seismic-event/columns.ts";
import { movePoint } from "#contracts/seismic-event/names.ts";
import {
  columnsOf,
  createColumnsBuilder,
  emptyRecord,
  rowAt,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  compareTimes,
  fractionDigits,
  microsToTime,
  parseTime,
  postgresMicros,
  timeToMicros,
  timeToMilliseconds,
} from "#contracts/seismic-event/time.ts";
import { timeOfParts, timePartNames } from "#contracts/seismic-event/written-times.ts";
import { shiftDecimal } from "#infra/formats/written-values.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { errorsOf, MINIMAL_RECORD, recordOf, recordOfWhole } from "./validated-record.ts";

test("the point of a number is moved as that of its decimal text, which loses nothing", () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
  fc.assert(
    fc.property(number, fc.integer({ min: -6, max: 6 }), (value, places) => {
      const shifted = Number(shiftDecimal(String(value), places));
      expect(movePoint(value, places)).toBe(shifted);
      expect(Number(movePoint(` ${value} `, places))).toBe(shifted);
    }),
    { numRuns: runs(5000) },
  );
});

testRows(
  "what is no number stays as it is",
  [["deep"], ["1e5e5"], ["1e"], ["0x10"], [""], [null], [true], [Number.NaN]],
  (value) => {
    expect(movePoint(value, -3)).toBe(value);
  },
);

const HEADERS = ["time", "lat", "lon", "Mag", "depth", "note", "km"];
const NAMES = ["time", "latitude", "longitude", "magnitude", "depth", "region", null] as const;

const columns = fc.dictionary(fc.constantFrom(...HEADERS), fc.constantFrom(...NAMES), {
  noNullPrototype: true,
});

test("columns are at fault exactly where a name would be there twice, or a column is not there", () => {
  fc.assert(
    fc.property(columns, fc.boolean(), (named, withForeign) => {
      const given = new Map(Object.entries(named));
      if (withForeign) given.set("other", "region");
      const names = HEADERS.map((header) =>
        Object.hasOwn(named, header) ? named[header] : header,
      );
      const kept = names.filter((name) => name !== null);
      const isFaulty = withForeign || new Set(kept).size < kept.length;
      expect(faultyColumns(given, { headers: HEADERS }).length > 0).toBe(isFaulty);
    }),
  );
});

test.each<[named: Record<string, ColumnTarget>, isFaulty: boolean]>([
  [{ t: "time", mag: "magnitude" }, false],
  [{ lat: "longitude", lon: "latitude" }, false],
  [{ size: "magnitude" }, true],
  [{ size: "magnitude", mag: "depth" }, false],
])("members of a JSON file that are %j are at fault: %s", (named, isFaulty) => {
  const file = {
    headers: ["latitude", "longitude", "magnitude"],
    members: ["t", "lat", "lon", "mag", "size"],
  };
  expect(faultyColumns(new Map(Object.entries(named)), file).length > 0).toBe(isFaulty);
});

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
    ..."|now|2011|2011-03|2011-13-01T00:00:00Z|2011-00-01T00:00:00Z".split("|"),
    ..."2011-04-31T00:00:00Z|2024-02-30T00:00:00Z|2023-02-29T00:00:00Z".split("|"),
    ..."1900-02-29T00:00:00Z|2011-03-11T25:00:00Z|2011-03-11T24:00:01Z".split("|"),
    ..."2011-03-11T24:00:00.1Z|2011-03-11T05:60:00Z|2011-03-11T05:46:61Z".split("|"),
    ..."2011-03-11T05:46:23.Z|2011-03-11T05:46:23.12a456Z|2011-03-11T05:46:23+24:00".split("|"),
    ..."2011-03-11T05:46:23+09:60|2011-03-11T05:46:23+09:|2011-03-11Z|2011-03/11".split("|"),
    ..."2011-03-11T05:46:23ZZ|11-03-2011 05:46:23|0000-12-31T23:59:59Z".split("|"),
    ..."0001-01-01T00:00:00+00:01|9999-12-31T23:59:60Z|+002011-03-11T05:46:23Z".split("|"),
    ..."２011-03-11T05:46:23Z|1299822383000".split("|"),
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

const PART_NAMES = ["year", "month", "day", "hour", "minute", "second"];
const PARTS = timePartNames(PART_NAMES) ?? new Map();

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

describe("a number", () => {
  testRows(
    "a number may be given as text",
    [
      [12.5, 12.5],
      ["12.5", 12.5],
      [" -3.20 ", -3.2],
      ["+.5", 0.5],
      ["5.", 5],
      ["1.5e1", 15],
      ["", null],
      ["  ", null],
      [null, null],
      [undefined, null],
    ],
    (given, expected) => {
      expect(recordOf({ depth: given }).depth).toBe(expected);
    },
  );

  testRows(
    "a number is not anything else",
    ["1,5", "12 mi", "12 deg", "0x10", "1e", "e5", "--1", "1_000", true, [1], {}],
    (given) => {
      expect(errorsOf({ depth: given })).toEqual(["depth must be a number"]);
    },
  );

  testRows(
    "a number is unknown as a placeholder",
    ["NaN", "nan", "null", "None", "<NA>", "#N/A", "?", "unknown", "-.-", ".", "inf", " - "],
    (unknown) => {
      expect(recordOf({ depth: unknown, magnitude: unknown })).toMatchObject({
        depth: null,
        magnitude: null,
      });
    },
  );

  testRows(
    "a number may have its unit, hemisphere or type",
    [
      ["latitude", "38.5S", -38.5],
      ["latitude", "38.5° N", 38.5],
      ["latitude", "−38.5°", -38.5],
      ["longitude", "W 120.25", -120.25],
      ["longitude", "176.25e", 176.25],
      ["depth", "12 km", 12],
      ["depth", "5116.2109375 m", 5.1162109375],
      ["depth", "–0.5km", -0.5],
      ["magnitude", "M4.5", 4.5],
      ["magnitude", "Mw 7", 7],
      ["magnitude", "4.5 ML", 4.5],
      ["magnitude", "M −0.3", -0.3],
      ["time_uncertainty", "250 ms", 0.25],
    ] as const,
    (name, text, number) => {
      expect(recordOf({ [name]: text })[name]).toBe(number);
    },
  );

  testRows(
    "a number has no other unit",
    [
      ["latitude", "-38.5S"],
      ["latitude", "38.5E"],
      ["longitude", "120 km"],
      ["magnitude", "4.5 km"],
      ["magnitude", "map 4.5"],
    ],
    (name, text) => {
      expect(errorsOf({ [name]: text })).toEqual([`${name} must be a number`]);
    },
  );

  testRows<unknown>(
    "a number is finite",
    [Number.NaN, Number.POSITIVE_INFINITY, JSON.parse("1e400"), "1e400", "-1e400"],
    (given) => {
      expect(errorsOf({ standard_error: given })).toEqual([
        "standard_error must be a finite number",
      ]);
    },
  );

  test("a number is an integer where the attribute counts", () => {
    expect(recordOf({ used_station_count: "12.0" }).used_station_count).toBe(12);
    expect(errorsOf({ used_station_count: 12.5 })).toEqual([
      "used_station_count must be an integer",
    ]);
  });

  test("a number loses the sign of zero, which JSON does not tell", () => {
    expect(Object.is(recordOf({ depth: -0 }).depth, 0)).toBe(true);
    expect(Object.is(recordOf({ depth: "-0.0" }).depth, 0)).toBe(true);
  });

  test("a number keeps every digit of a double", () => {
    const depth = fc.double({ min: -10, max: 1000, noNaN: true }).filter((n) => n !== 0);
    fc.assert(
      fc.property(depth, (n) => {
        expect(recordOf({ depth: n }).depth).toBe(n);
        expect(recordOf({ depth: String(n) }).depth).toBe(n);
      }),
    );
  });

  const bounded = ATTRIBUTE_NAMES.filter((name) => "min" in ATTRIBUTES[name]);
  testRows("a number lies within its range, both ends included", bounded, (name) => {
    const { min, max }: Attribute = ATTRIBUTES[name];
    const above = name === "longitude" ? 360.001 : (max ?? 0) + 1;
    const hasErrors = (value: number) => errorsOf({ [name]: value }).length > 0;
    expect(hasErrors(min ?? 0)).toBe(false);
    expect(hasErrors((min ?? 0) - 1)).toBe(true);
    expect(hasErrors(max ?? 1e300)).toBe(false);
    expect(hasErrors(above)).toBe(max !== undefined);
  });
});

testRows(
  "a longitude is turned into its range",
  [
    [180, 180],
    [-180, -180],
    [180.5, -179.5],
    [270, -90],
    [359.9, -0.1],
    ["185.1234567", -174.8765433],
    [359.99999999999994, -6e-14],
    [360, 0],
  ],
  (given, expected) => {
    expect(recordOf({ longitude: given }).longitude).toBe(expected);
  },
);

test("a longitude from 180 to 360 is wrapped as the decimal number it reads as", () => {
  fc.assert(
    fc.property(fc.integer({ min: 180_000_001, max: 360_000_000 }), (millionths) => {
      expect(recordOf({ longitude: millionths / 1e6 }).longitude).toBe((millionths - 360e6) / 1e6);
    }),
  );
});

testRows("a longitude beyond a turn is out of range", [-180.1, 360.1], (longitude) => {
  expect(errorsOf({ longitude })).toEqual(["longitude must be between -180 and 360 deg"]);
});

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

const records = fc.array(anyRecord, { maxLength: 8 });
const origin = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };

test("columns give every row back as it was", () => {
  fc.assert(
    fc.property(records, (given) => {
      const columns = columnsOf(given);
      expect(given.map((_, i) => rowAt(columns, i))).toStrictEqual(given);
    }),
  );
});

test("columns leave out what is null in every row", () => {
  const { columns } = columnsOf([emptyRecord(origin), { ...emptyRecord(origin), depth: 5 }]);
  expect(columns).toEqual({
    time: [origin.time, origin.time],
    latitude: [1, 1],
    longitude: [2, 2],
    depth: [null, 5],
  });
});

test("columns are empty again once taken", () => {
  const builder = createColumnsBuilder();
  builder.push({ ...emptyRecord(origin), depth: 5 });
  expect(builder.length).toBe(1);
  builder.take();
  expect(builder.length).toBe(0);
  expect(builder.take()).toEqual({
    length: 0,
    columns: { time: [], latitude: [], longitude: [] },
  });
});

test("columns have no row beyond their length", () => {
  expect(() => rowAt(columnsOf([]), 0)).toThrow(RangeError);
});

test("bounds hold every event and touch one on each side", () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 8 }), (given) => {
      const bounds = boundsOf(columnsOf(given));
      const magnitudes = given.map(({ magnitude }) => magnitude).filter((m) => m !== null);
      const times = given.map(({ time }) => time).sort(compareTimes);
      expect(bounds.min_latitude).toBeCloseTo(Math.min(...given.map((r) => r.latitude)), 12);
      expect(bounds.max_longitude).toBeCloseTo(Math.max(...given.map((r) => r.longitude)), 12);
      expect(bounds.min_magnitude === null).toBe(magnitudes.length === 0);
      expect(compareTimes(bounds.start_time ?? "", times.at(0) ?? "")).toBe(0);
      expect(compareTimes(bounds.end_time ?? "", times.at(-1) ?? "")).toBe(0);
    }),
  );
});

test("bounds of two parts merge into those of the whole, in either order", () => {
  fc.assert(
    fc.property(records, records, (a, b) => {
      const [first, second] = [boundsOf(columnsOf(a)), boundsOf(columnsOf(b))];
      const whole = plainZeros(boundsOf(columnsOf([...a, ...b])));
      expect(plainZeros(mergeBounds(first, second))).toEqual(whole);
      expect(plainZeros(mergeBounds(second, first))).toEqual(whole);
    }),
  );
});

test("bounds of nothing are unknown", () => {
  expect(boundsOf(columnsOf([]))).toEqual(NO_BOUNDS);
});

test("bounds keep the digits of their times", () => {
  const at = (time: string) => boundsOf(columnsOf([emptyRecord({ ...origin, time })]));
  const merged = mergeBounds(at("2020-01-01T00:00:00.10Z"), at("2020-01-01T00:00:00.2Z"));
  expect(merged.start_time).toBe("2020-01-01T00:00:00.10Z");
  expect(merged.end_time).toBe("2020-01-01T00:00:00.2Z");
});

/** The sign of a zero is not part of a bound. */
function plainZeros(bounds: object): object {
  return JSON.parse(JSON.stringify(bounds));
}
