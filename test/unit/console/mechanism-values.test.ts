import { describe, expect, test } from "vitest";
import {
  axesOf,
  mechanismOf,
  planesOf,
  sourceOf,
  tensorOf,
} from "#services/console/features/event/mechanism-values.ts";

const PLANE = { strike: 219, dip: 38, rake: 128 };
const OTHER = { strike: 354, dip: 61, rake: 64 };
const TENSOR = { Mrr: 5, Mtt: -1, Mpp: -4, Mrt: 2, Mrp: 0, Mtp: 1 };

describe("a mechanism as it is given", () => {
  test("is drawn of its tensor where this is whole", () => {
    const given = { nodalPlanes: { nodalPlane1: PLANE }, momentTensor: { tensor: TENSOR } };
    expect(mechanismOf(given)).toEqual({ tensor: TENSOR });
  });

  test("is drawn of its first whole plane where an element of the tensor is missing", () => {
    const { Mtp: _missing, ...part } = TENSOR;
    const given = {
      nodalPlanes: { nodalPlane1: { strike: 219 }, nodalPlane2: OTHER },
      momentTensor: { tensor: part },
    };
    expect(tensorOf(given)).toBeNull();
    expect(mechanismOf(given)).toEqual({ plane: OTHER });
  });

  test("has no picture where neither is whole", () => {
    expect(mechanismOf({})).toBeNull();
    expect(mechanismOf({ nodalPlanes: {}, momentTensor: {} })).toBeNull();
    expect(mechanismOf({ nodalPlanes: { nodalPlane1: { strike: 1, dip: 2 } } })).toBeNull();
  });

  test("takes zeros for numbers", () => {
    const zero = { strike: 0, dip: 0, rake: 0 };
    const flat = { azimuth: 0, plunge: 0 };
    expect(planesOf({ nodalPlanes: { nodalPlane1: zero } })[0]).toEqual({
      ...zero,
      isComputed: false,
    });
    expect(axesOf({ principalAxes: { tAxis: flat } })).toEqual([
      { name: "T", ...flat, isComputed: false },
    ]);
  });

  test("has both its planes and its axes computed where the file has one plane", () => {
    const given = { nodalPlanes: { nodalPlane2: { strike: 0, dip: 60, rake: -90 } } };
    const [first, second] = planesOf(given);
    expect(first).toEqual({ strike: 0, dip: 60, rake: -90, isComputed: false });
    expect(second?.isComputed).toBe(true);
    expect(second?.strike).toBeCloseTo(180, 9);
    expect(second?.dip).toBeCloseTo(30, 9);
    expect(second?.rake).toBeCloseTo(-90, 9);
    expect(axesOf(given).map(({ name, isComputed }) => [name, isComputed])).toEqual([
      ["T", true],
      ["P", true],
      ["N", true],
    ]);
  });

  test("has both planes of its tensor where the file has none, and the file's axes where it has them", () => {
    const tAxis = { azimuth: 10, plunge: 20 };
    const given = {
      momentTensor: { tensor: TENSOR },
      principalAxes: { tAxis, pAxis: { azimuth: 5 } },
    };
    expect(planesOf(given).map(({ isComputed }) => isComputed)).toEqual([true, true]);
    const [t, p, n] = axesOf(given);
    expect(t).toEqual({ name: "T", ...tAxis, isComputed: false });
    expect([p?.name, p?.isComputed, n?.name]).toEqual(["P", true, "N"]);
  });

  test("has no planes and no axes where nothing of it is whole, or is an explosion", () => {
    const tensor = { Mrr: 2, Mtt: 2, Mpp: 2, Mrt: 0, Mrp: 0, Mtp: 0 };
    for (const given of [{}, { momentTensor: { tensor } }]) {
      expect(planesOf(given)).toEqual([]);
      expect(axesOf(given)).toEqual([]);
    }
  });
});

test("a mechanism is its agency's and author's, or those of its tensor", () => {
  const creationInfo = { agencyID: "GCMT", author: "A. Reader" };
  expect(sourceOf({ creationInfo })).toBe("GCMT, A. Reader");
  expect(sourceOf({ momentTensor: { creationInfo: { agencyID: "us", author: "us" } } })).toBe("us");
  expect(sourceOf({})).toBe("");
});
