import { describe, expect, test } from "vitest";
import {
  axesOf,
  mechanismOf,
  planesOf,
  tensorOf,
} from "#services/console/pages/event/given-mechanism.ts";

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
    expect(planesOf({ nodalPlanes: { nodalPlane1: zero } })).toEqual([zero]);
    expect(axesOf({ principalAxes: { tAxis: { azimuth: 0, plunge: 0 } } })).toEqual([
      { name: "T", azimuth: 0, plunge: 0 },
    ]);
  });

  test("names its axes in the order T, P, N, and leaves out those that are not whole", () => {
    const axis = { azimuth: 10, plunge: 20 };
    const given = { principalAxes: { nAxis: axis, pAxis: { azimuth: 5 }, tAxis: axis } };
    expect(axesOf(given).map(({ name }) => name)).toEqual(["T", "N"]);
  });
});
