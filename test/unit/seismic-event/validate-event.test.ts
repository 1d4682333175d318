import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
} from "#contracts/seismic-event/attributes.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  createEventValidator,
  type ValidationOptions,
  validateEvent,
} from "#services/domain/seismic-event/validate-event.ts";
import { runs } from "../../support/runs.ts";
import { anyRecord } from "./arbitrary-record.ts";

const NOW = { nowMs: Date.parse("2026-01-01T00:00:00Z") };
const TIME = "2011-03-11T05:46:23.120Z";
const MINIMAL = { time: TIME, latitude: 38.3, longitude: 142.4, magnitude: 9.1 };
const MINIMAL_RECORD = { ...emptyRecord(MINIMAL), magnitude: 9.1 };

/** The record made of the smallest valid event with `more`; a refused one fails the test. */
function recordOf(more: object, options: ValidationOptions = NOW): SeismicEventRecord {
  return recordOfWhole({ ...MINIMAL, ...more }, options);
}

function recordOfWhole(event: object, options: ValidationOptions = NOW): SeismicEventRecord {
  const result = validateEvent(event, options);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.record;
}

/** The errors of the smallest valid event with `more`, as "field message". */
function errorsOf(more: object, options: ValidationOptions = NOW): string[] {
  const result = validateEvent({ ...MINIMAL, ...more }, options);
  return result.ok ? [] : result.errors.map(({ field, message }) => `${field} ${message}`);
}

describe("a submitted event", () => {
  test("a submitted event needs time, latitude, longitude and magnitude, and nothing else", () => {
    expect(recordOf({})).toStrictEqual(MINIMAL_RECORD);
    const result = validateEvent({}, NOW);
    expect(result).toEqual({
      ok: false,
      errors: ["time", "latitude", "longitude", "magnitude"].map((field) => ({
        field,
        message: "is required",
      })),
    });
  });

  test.each([null, "", " "])(
    "a submitted event has an unknown magnitude where %j is given as one",
    (magnitude) => {
      expect(recordOf({ magnitude }).magnitude).toBeNull();
      const { magnitude: _, ...rest } = MINIMAL;
      expect(recordOfWhole({ ...rest, Mw: magnitude })).toMatchObject({
        magnitude: null,
        magnitude_type: null,
        extra: null,
      });
    },
  );

  test.each([null, undefined, 3, "event", [MINIMAL], new Date(0)])(
    "a submitted event is an object, not %j",
    (raw) => {
      expect(validateEvent(raw, NOW)).toEqual({
        ok: false,
        errors: [{ field: "event", message: "must be an object" }],
      });
    },
  );

  test("a submitted event has everything that is wrong with it told at once, under its own identifier", () => {
    const raw = { ...MINIMAL, latitude: 91, depth: "deep", event_type: "quake", eventid: "abc" };
    expect(validateEvent(raw, NOW)).toEqual({
      ok: false,
      id: "abc",
      errors: [
        { field: "latitude", message: "must be between -90 and 90 deg" },
        { field: "depth", message: "must be a number" },
        { field: "event_type", message: "is none of the values known for it" },
      ],
    });
  });

  test("a submitted event comes back the same when its record is submitted again", () => {
    fc.assert(
      fc.property(anyRecord, (given) => {
        const first = recordOfWhole({ ...given, magnitude: given.magnitude ?? 1 });
        expect(recordOfWhole(first)).toStrictEqual(first);
        expect(recordOfWhole(JSON.parse(JSON.stringify(first)))).toEqual(
          JSON.parse(JSON.stringify(first)),
        );
      }),
    );
  });

  test("a submitted event is understood alike whatever the events before it looked like", () => {
    const names = fc.constantFrom(
      "mag",
      "mw",
      "magnitude",
      "id",
      "source_id",
      "date",
      "note",
      "lat",
    );
    const raws = fc.array(fc.dictionary(names, fc.constantFrom(1, "2", "", null)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(raws, (given) => {
        const validate = createEventValidator(NOW);
        const events = given.map((more) => ({ ...MINIMAL, ...more }));
        expect(events.map(validate)).toEqual(events.map((event) => validateEvent(event, NOW)));
      }),
    );
  });

  test("a submitted event never makes the validator throw", () => {
    const name = fc.constantFrom(
      ...Object.keys(MINIMAL),
      ...ATTRIBUTE_NAMES,
      "extra",
      "date",
      "focal_mechanisms",
    );
    const value = fc.oneof(fc.anything(), fc.jsonValue(), fc.string());
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(name, fc.string()), value), (raw) => {
        expect(typeof validateEvent(raw, NOW).ok).toBe("boolean");
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe("a number", () => {
  test.each([
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
  ])("a number may be given as %j", (given, expected) => {
    expect(recordOf({ depth: given }).depth).toBe(expected);
  });

  test.each(["1,5", "12 mi", "12 deg", "0x10", "1e", "e5", "--1", "1_000", true, [1], {}])(
    "a number is not %j",
    (given) => {
      expect(errorsOf({ depth: given })).toEqual(["depth must be a number"]);
    },
  );

  test.each([
    "NaN",
    "nan",
    "null",
    "None",
    "<NA>",
    "#N/A",
    "?",
    "unknown",
    "-.-",
    ".",
    "inf",
    " - ",
  ])("a number is unknown as %j", (unknown) => {
    expect(recordOf({ depth: unknown, magnitude: unknown })).toMatchObject({
      depth: null,
      magnitude: null,
    });
  });

  test.each([
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
  ] as const)("the %s is a number with its unit, hemisphere or type: %j", (name, text, number) => {
    expect(recordOf({ [name]: text })[name]).toBe(number);
  });

  test.each([
    ["latitude", "-38.5S"],
    ["latitude", "38.5E"],
    ["longitude", "120 km"],
    ["magnitude", "4.5 km"],
    ["magnitude", "map 4.5"],
  ])("the %s is no number as %j", (name, text) => {
    expect(errorsOf({ [name]: text })).toEqual([`${name} must be a number`]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, JSON.parse("1e400"), "1e400", "-1e400"])(
    "a number is finite, not %s",
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
  test.each(bounded)("a number lies within the range of %s, both ends included", (name) => {
    const { min, max }: Attribute = ATTRIBUTES[name];
    const above = name === "longitude" ? 360.001 : (max ?? 0) + 1;
    const hasErrors = (value: number) => errorsOf({ [name]: value }).length > 0;
    expect(hasErrors(min ?? 0)).toBe(false);
    expect(hasErrors((min ?? 0) - 1)).toBe(true);
    expect(hasErrors(max ?? 1e300)).toBe(false);
    expect(hasErrors(above)).toBe(max !== undefined);
  });
});

describe("a longitude", () => {
  test.each([
    [180, 180],
    [-180, -180],
    [180.5, -179.5],
    [270, -90],
    [359.9, -0.1],
    ["185.1234567", -174.8765433],
    [359.99999999999994, -6e-14],
    [360, 0],
  ])("a longitude of %j is %d", (given, expected) => {
    expect(recordOf({ longitude: given }).longitude).toBe(expected);
  });

  test("a longitude from 180 to 360 is wrapped as the decimal number it reads as", () => {
    fc.assert(
      fc.property(fc.integer({ min: 180_000_001, max: 360_000_000 }), (millionths) => {
        expect(recordOf({ longitude: millionths / 1e6 }).longitude).toBe(
          (millionths - 360e6) / 1e6,
        );
      }),
    );
  });

  test.each([-180.1, 360.1])("a longitude of %d is out of range", (longitude) => {
    expect(errorsOf({ longitude })).toEqual(["longitude must be between -180 and 360 deg"]);
  });
});

describe("a time", () => {
  test.each([
    ["2011-03-11 05:46:23", "2011-03-11T05:46:23Z"],
    ["2011-03-11T14:46:23.10+09:00", "2011-03-11T05:46:23.10Z"],
    ["2026-01-01T00:05:00.000Z", "2026-01-01T00:05:00.000Z"],
    ["1000-01-01", "1000-01-01T00:00:00Z"],
  ])("%j is kept as %s", (time, expected) => {
    expect(recordOf({ time }).time).toBe(expected);
  });

  test.each([
    ["2024-02-30", 'time is not a valid ISO 8601 time: "2024-02-30"'],
    ["05:46:23", 'time is not a valid ISO 8601 time: "05:46:23"'],
    ["05/04/2020", 'time may be 2020-04-05 or 2020-05-04: "05/04/2020"; write it as YYYY-MM-DD'],
    [1_299_822_383_000, "time must be an ISO 8601 text"],
    ["2026-01-01T00:05:00.001Z", "time must not be in the future"],
    ["2026-01-01T00:05:00.000001Z", "time must not be in the future"],
    ["0999-12-31T23:59:59Z", "time must not be before the year 1000"],
    ["", "time is required"],
    [null, "time is required"],
  ])("%j is refused: %s", (time, expected) => {
    expect(errorsOf({ time })).toEqual([expected]);
  });

  test.each([
    { date: "2011-03-11", time: "05:46:23.1" },
    { DATE: " 2011-03-11 ", TIME: " 5:46:23.1 " },
    { date: "2011/03/11", origin_time: "05:46:23.1Z" },
    { "Origin Time": "2011-03-11T05:46:23.1" },
    { datetime: "2011-03-11T05:46:23.1", time: "" },
    { timestamp: "2011-03-11T05:46:23.1Z", date: null },
  ])("a time is found in %j", (given) => {
    const record = recordOfWhole({ latitude: 1, longitude: 2, mag: 3, ...given });
    expect(record.time).toBe("2011-03-11T05:46:23.1Z");
    expect(record.extra).toBeNull();
  });

  test.each([
    { year: 2011, month: 3, day: 11, hour: 5, minute: 46, second: 23.1 },
    { Year: "2011", Mo: "03", Da: "11", Ho: "05", Mi: "46", Se: "23.1" },
    // ZMAP: a decimal year, every value a number in scientific notation or with a fraction.
    { year: 2011.189, month: "3.0", day: "11.0", hour: "5.0", minute: "46.", sec: "23.1" },
    { yr: 2011, mon: 3, dd: 11, time: "5:46:23.1" },
    { year: 2011, month: 3, day: 11, hh: 5, min: 45, ss: 83.1 - 23, time: null, date: "" },
  ])("a time is put together of %j", (given) => {
    const record = recordOfWhole({ latitude: 1, longitude: 2, mag: 3, ...given });
    expect(record.time).toMatch(/^2011-03-11T05:46:(23.1|00.1\d*)Z$/);
  });

  test("a time of a date in parts without a time of day is midnight", () => {
    const given = { year: 2011, month: 3, day: 11, latitude: 1, longitude: 2, mag: 3 };
    expect(recordOfWhole(given)).toMatchObject({ time: "2011-03-11T00:00:00Z", extra: null });
  });

  test("a time that is whole leaves the parts beside it to the extra attributes", () => {
    const parts = { year: 2011, month: 3, day: 12, hour: 1 };
    expect(recordOf(parts)).toEqual({ ...MINIMAL_RECORD, extra: parts });
  });

  test.each([
    [{ year: 2011, month: 3 }, "time is required"],
    [{ year: 2011, month: 3, day: null }, "time is required: year 2011, month 3 make no date"],
    [{ year: 2011, month: 13, day: 1 }, 'time is not a valid ISO 8601 time: "2011-13-1 0:0:0"'],
    [
      { year: 2011, month: 3, day: 1, hour: 25 },
      'time is not a valid ISO 8601 time: "2011-3-1 25:0:0"',
    ],
    [{ year: 2011, month: 3.5, day: 1 }, 'time is not a valid ISO 8601 time: "2011-3.5-1 0:0:0"'],
  ])("a time in parts %j is refused: %s", (parts, expected) => {
    expect(errorsOf({ time: null, ...parts })).toEqual([expected]);
  });

  test("a time that is whole leaves a date beside it to the extra attributes", () => {
    expect(recordOf({ date: "2011-03-12" })).toEqual({
      ...MINIMAL_RECORD,
      extra: { date: "2011-03-12" },
    });
  });
});

describe("a name", () => {
  test.each([
    ["DepthMeters", 12_345.678, 12.345678],
    ["depth_m", "700000", 700],
    ["Depth/m", -1200, -1.2],
    ["depthMetres", 1e-7, 1e-10],
  ])("%s of %j has the depth in metres: %j km", (name, value, depth) => {
    expect(recordOf({ [name]: value }).depth).toBe(depth);
  });

  test("a name of metres is refused beyond 1000 km, and for what is no number", () => {
    expect(errorsOf({ DepthMeters: 1_000_001 })).toEqual(["depth must be between -10 and 1000 km"]);
    expect(errorsOf({ DepthMeters: "deep" })).toEqual(["depth must be a number"]);
  });

  test.each([
    ["usedStationCount", "used_station_count"],
    ["USED-STATION COUNT", "used_station_count"],
    ["nst", "used_station_count"],
    ["Depth/km", "depth"],
    ["depth.km", "depth"],
    ["rms", "standard_error"],
    ["AzimuthalGap", "azimuthal_gap"],
    ["sigmaMagnitude", "magnitude_uncertainty"],
  ])("%s is %s", (given, name) => {
    expect(recordOf({ [given]: 7 })).toEqual({ ...MINIMAL_RECORD, [name]: 7 });
  });

  test("a name of the standard wins, then the aliases in their order; the rest is kept", () => {
    expect(recordOf({ mag: 1, mw: 2 })).toMatchObject({ magnitude: 9.1, extra: { mag: 1, mw: 2 } });
    expect(recordOf({ magnitude: "", mw: 2, mag: 1 })).toMatchObject({
      magnitude: 1,
      extra: { mw: 2 },
    });
    expect(recordOf({ usedStationCount: 1, used_station_count: 2 })).toMatchObject({
      used_station_count: 2,
      extra: { usedStationCount: 1 },
    });
  });

  test.each([
    [{ mw: 6 }, "Mw"],
    [{ ML: 6 }, "ML"],
    [{ M: 6 }, null],
    [{ mw: 6, magType: "Mww" }, "Mww"],
    [{ mag: 5, mw: 6 }, null],
  ])("%j implies the magnitude type %s", (given, type) => {
    const { magnitude, ...rest } = MINIMAL;
    expect(recordOfWhole({ ...rest, ...given }).magnitude_type).toBe(type);
    expect(magnitude).toBe(9.1);
  });

  test("id is the submitter's identifier, except beside source_id: then it is dropped", () => {
    expect(recordOf({ id: "us1000" }).source_id).toBe("us1000");
    expect(recordOf({ id: "us1000", source_id: "x" })).toEqual({
      ...MINIMAL_RECORD,
      source_id: "x",
    });
    expect(recordOf({ id: "us1000", sourceId: null })).toEqual(MINIMAL_RECORD);
  });

  test.each(["constructor", "toString", "hasOwnProperty", "prototype", "valueOf"])(
    "%s is an attribute like any other",
    (name) => {
      const { extra } = recordOf({ [name]: { prototype: 1 } });
      expect(JSON.stringify(extra)).toBe(JSON.stringify({ [name]: { prototype: 1 } }));
    },
  );
});

describe("a text", () => {
  test("a text is kept as given, blank text counts as absent", () => {
    expect(recordOf({ region: " Cook Strait " }).region).toBe(" Cook Strait ");
    expect(recordOf({ region: " \t" }).region).toBeNull();
  });

  test("a text may have been taken for a number, when it is exact", () => {
    expect(recordOf({ eventid: 2_801_727 }).source_id).toBe("2801727");
    expect(errorsOf({ eventid: 2 ** 53 })).toEqual([
      "source_id is a number too large to be exact; give it as text",
    ]);
  });

  test.each(["\0", "a\0b", "\ud800", "a\udc00b"])(
    "a text that cannot be stored is refused: %j",
    (region) => {
      expect(errorsOf({ region })).toEqual(["region holds characters that cannot be stored"]);
    },
  );

  test("a text is no longer than its attribute allows, and neither true nor a list", () => {
    expect(recordOf({ author: "x".repeat(128) }).author).toHaveLength(128);
    expect(errorsOf({ author: "x".repeat(129) })).toEqual([
      "author must not be longer than 128 characters",
    ]);
    expect(errorsOf({ author: true, agency_id: ["x"] })).toEqual([
      "author must be a text",
      "agency_id must be a text",
    ]);
  });
});

describe("an enumeration", () => {
  test.each([
    ["Quarry_Blast", "quarry blast"],
    [" EARTHQUAKE ", "earthquake"],
    ["", null],
  ])("%j is understood as %j", (event_type, expected) => {
    expect(recordOf({ event_type }).event_type).toBe(expected);
  });

  test("an enumeration keeps the standard's spelling", () => {
    const given = "FROM MODELING OF BROAD-BAND P WAVEFORMS";
    expect(recordOf({ depth_type: given }).depth_type).toBe(
      "from modeling of broad-band P waveforms",
    );
  });

  test.each(["quake", 3, "constructor"])("an enumeration has no value %j", (event_type) => {
    expect(errorsOf({ event_type })).toHaveLength(1);
  });
});

describe("extra attributes", () => {
  test("extra attributes are kept as given, nothing at all is null", () => {
    const more = { Note: "", tags: [1, { a: null }], felt: false, empty: null };
    expect(recordOf(more).extra).toEqual({ Note: "", tags: [1, { a: null }], felt: false });
    expect(recordOf({ extra: {} }).extra).toBeNull();
  });

  test("extra attributes take in a given extra object, also as JSON text", () => {
    expect(recordOf({ extra: { a: null }, b: 2 }).extra).toEqual({ a: null, b: 2 });
    expect(recordOf({ extra: '{"a":1}' }).extra).toEqual({ a: 1 });
    expect(recordOf({ extra: "a remark" }).extra).toEqual({ extra: "a remark" });
  });

  test("extra attributes take in provenance, which is ours to give", () => {
    expect(recordOf({ source_events: [{ chosen: true }] })).toEqual({
      ...MINIMAL_RECORD,
      extra: { source_events: [{ chosen: true }] },
    });
  });

  test("extra attributes are not given twice", () => {
    expect(errorsOf({ a: 1, extra: { a: 2 } })).toEqual(['extra gives "a" twice']);
  });

  test.each([
    ["a prototype", JSON.parse('{"__proto__":{"polluted":1}}'), "must not hold the name __proto__"],
    [
      "a nested prototype",
      { a: JSON.parse('[{"__proto__":1}]') },
      "must not hold the name __proto__",
    ],
    ["a prototype in extra", { extra: '{"__proto__":1}' }, "must not hold the name __proto__"],
    ["an infinite number", { a: [JSON.parse("1e400")] }, "holds a number that is not finite"],
    ["a NUL", { a: "\0" }, "holds characters that cannot be stored"],
    ["half a character in a name", { "\ud800": 1 }, "holds characters that cannot be stored"],
    ["an undefined value", { a: [undefined] }, "holds something other than JSON"],
    ["33 levels", { a: nested(32) }, "must not be nested deeper than 32 levels"],
    ["more than 64 KB", { a: "é".repeat(32_768) }, "must not be larger than 65536 bytes of JSON"],
  ])("extra attributes are refused with %s", (_, more, message) => {
    expect(errorsOf(more)).toEqual([`extra ${message}`]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("extra attributes may have 32 levels and 64 KB", () => {
    expect(recordOf({ a: nested(31) }).extra).toEqual({ a: nested(31) });
    expect(recordOf({ a: "é".repeat(32_764) }).extra).not.toBeNull();
  });
});

describe("focal mechanisms", () => {
  const mechanism = {
    nodalPlanes: {
      nodalPlane1: { strike: 203, dip: 10, rake: 88, strikeUncertainty: 2 },
      preferredPlane: 1,
    },
    momentTensor: {
      scalarMoment: 5.31e22,
      tensor: { Mrr: 1.73e22, Mtp: null },
      category: "teleseismic",
    },
    misfit: 0.1,
    mode: { any: ["thing"] },
  };

  test("focal mechanisms are kept whole, also as JSON text; none at all is null", () => {
    const expected = { ...MINIMAL_RECORD, focal_mechanisms: [mechanism] };
    expect(recordOf({ focal_mechanisms: [mechanism] })).toEqual(expected);
    expect(recordOf({ focalMechanisms: JSON.stringify([mechanism]) })).toEqual(expected);
    expect(recordOf({ focal_mechanisms: [] }).focal_mechanisms).toBeNull();
    expect(recordOf({ focal_mechanisms: "" }).focal_mechanisms).toBeNull();
  });

  test.each([
    [{}, "must be a list of objects"],
    ["none", "must be a list of objects"],
    [[null], "must be a list of objects"],
    [[{}, { misfit: "0.1" }], "[1].misfit must be a finite number"],
    [[{ nodalPlanes: [] }], "[0].nodalPlanes must be an object"],
    [
      [{ nodalPlanes: { nodalPlane2: { dip: { value: 3 } } } }],
      "[0].nodalPlanes.nodalPlane2.dip must be a finite number",
    ],
    [
      [{ momentTensor: { tensor: { Mrt: JSON.parse("1e999") } } }],
      "[0].momentTensor.tensor.Mrt must be a finite number",
    ],
    [[{ remark: "x".repeat(65_536) }], "must not be larger than 65536 bytes of JSON"],
    ['[{"__proto__":1}]', "must not hold the name __proto__"],
  ])("%j are refused: %s", (focal_mechanisms, message) => {
    expect(errorsOf({ focal_mechanisms })).toEqual([`focal_mechanisms ${message}`]);
  });
});

/** Lists within lists. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
