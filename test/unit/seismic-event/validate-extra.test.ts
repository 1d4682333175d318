import { describe, expect, test } from "vitest";
import { testRows } from "../../support/test-rows.ts";
import { errorsOf, MINIMAL_RECORD, recordOf } from "./validated-record.ts";

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

  testRows(
    "extra attributes are refused",
    [
      [
        "a prototype",
        JSON.parse('{"__proto__":{"polluted":1}}'),
        "must not hold the name __proto__",
      ],
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
