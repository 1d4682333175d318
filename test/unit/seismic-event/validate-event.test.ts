import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import {
  createEventValidator,
  validateEvent,
} from "#services/domain/events/validation/validate-event.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import {
  errorsOf,
  MINIMAL,
  MINIMAL_RECORD,
  NOW,
  recordOf,
  recordOfWhole,
} from "./validated-record.ts";

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

testRows(
  "a submitted event has an unknown magnitude where a placeholder is given as one",
  [null, "", " "],
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

testRows(
  "a submitted event is an object",
  [null, undefined, 3, "event", [MINIMAL], new Date(0)],
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
  const names = fc.constantFrom("mag", "mw", "magnitude", "id", "source_id", "date", "note", "lat");
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

  testRows(
    "a column implies the magnitude type",
    [
      [{ mw: 6 }, "Mw"],
      [{ ML: 6 }, "ML"],
      [{ M: 6 }, null],
      [{ mw: 6, magType: "Mww" }, "Mww"],
      [{ mag: 5, mw: 6 }, null],
    ],
    (given, type) => {
      const { magnitude, ...rest } = MINIMAL;
      expect(recordOfWhole({ ...rest, ...given }).magnitude_type).toBe(type);
      expect(magnitude).toBe(9.1);
    },
  );

  test("id is the submitter's identifier, except beside source_id: then it is dropped", () => {
    expect(recordOf({ id: "us1000" }).source_id).toBe("us1000");
    expect(recordOf({ id: "us1000", source_id: "x" })).toEqual({
      ...MINIMAL_RECORD,
      source_id: "x",
    });
    expect(recordOf({ id: "us1000", sourceId: null })).toEqual(MINIMAL_RECORD);
  });

  testRows(
    "an extra name is an attribute like any other",
    ["constructor", "toString", "hasOwnProperty", "prototype", "valueOf"],
    (name) => {
      const { extra } = recordOf({ [name]: { prototype: 1 } });
      expect(JSON.stringify(extra)).toBe(JSON.stringify({ [name]: { prototype: 1 } }));
    },
  );
});

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

testRows(
  "a text that cannot be stored is refused",
  ["\0", "a\0b", "\ud800", "a\udc00b"],
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

describe("an enumeration", () => {
  testRows(
    "a value of an enumeration is understood",
    [
      ["Quarry_Blast", "quarry blast"],
      [" EARTHQUAKE ", "earthquake"],
      ["", null],
    ],
    (event_type, expected) => {
      expect(recordOf({ event_type }).event_type).toBe(expected);
    },
  );

  test("an enumeration keeps the standard's spelling", () => {
    const given = "FROM MODELING OF BROAD-BAND P WAVEFORMS";
    expect(recordOf({ depth_type: given }).depth_type).toBe(
      "from modeling of broad-band P waveforms",
    );
  });

  testRows("an enumeration has no other value", ["quake", 3, "constructor"], (event_type) => {
    expect(errorsOf({ event_type })).toHaveLength(1);
  });
});

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

testRows(
  "extra attributes are refused",
  [
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
  ],
  (_, more, message) => {
    expect(errorsOf(more)).toEqual([`extra ${message}`]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  },
);

test("extra attributes may have 32 levels and 64 KB", () => {
  expect(recordOf({ a: nested(31) }).extra).toEqual({ a: nested(31) });
  expect(recordOf({ a: "é".repeat(32_764) }).extra).not.toBeNull();
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

  testRows(
    "members of extra attributes are refused",
    [
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
    ],
    (focal_mechanisms, message) => {
      expect(errorsOf({ focal_mechanisms })).toEqual([`focal_mechanisms ${message}`]);
    },
  );
});

/** Lists within lists. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
