import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
} from "#contracts/seismic-event/attributes.ts";
import { testRows } from "../../support/test-rows.ts";
import { errorsOf, MINIMAL_RECORD, recordOf, recordOfWhole } from "./validated-record.ts";

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
