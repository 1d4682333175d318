import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Plane, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import { RADIANS_PER_DEGREE } from "#contracts/units.ts";
import {
  axesOf,
  tensorOf as givenTensor,
  mechanismOf,
  planesOf,
  sourceOf,
} from "#services/console/features/event/mechanism-values.ts";
import {
  type Axis,
  axesOfPlane,
  axesOfTensor,
  ballPixels,
  firstMotion,
  planesOfTensor,
} from "#services/console/plots/beach-ball.ts";

const planes: fc.Arbitrary<Plane> = fc.record({
  strike: fc.double({ min: 0, max: 360, noNaN: true }),
  dip: fc.double({ min: 1, max: 90, noNaN: true }),
  rake: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("first motions", () => {
  test("of a normal fault are towards the source in the middle, of a reverse one away from it", () => {
    const middle = (rake: number) => firstMotion({ plane: { strike: 0, dip: 45, rake } }, 0, 0);
    expect(middle(-90)).toBeLessThan(0);
    expect(middle(90)).toBeGreaterThan(0);
    // The rim of a normal fault that strikes north is dark to the east and to the west.
    const rim = (x: number, y: number) =>
      firstMotion({ plane: { strike: 0, dip: 45, rake: -90 } }, x, y);
    expect(rim(0.99, 0)).toBeGreaterThan(0);
    expect(rim(-0.99, 0)).toBeGreaterThan(0);
  });

  test("of a vertical strike-slip fault have four quadrants: a left-lateral one is dark to the north-east", () => {
    const at = (x: number, y: number) =>
      firstMotion({ plane: { strike: 0, dip: 90, rake: 0 } }, x, y);
    expect(at(0.5, 0.5)).toBeGreaterThan(0);
    expect(at(-0.5, -0.5)).toBeGreaterThan(0);
    expect(at(0.5, -0.5)).toBeLessThan(0);
    expect(at(-0.5, 0.5)).toBeLessThan(0);
  });

  test("are the same by a plane as by its tensor", () => {
    const points = fc.double({ min: -0.7, max: 0.7, noNaN: true });
    fc.assert(
      fc.property(planes, points, points, (plane, x, y) => {
        const byPlane = 2 * firstMotion({ plane }, x, y);
        expect(firstMotion({ tensor: tensorOf(plane, 1) }, x, y)).toBeCloseTo(byPlane, 9);
      }),
    );
  });

  test("of an explosion are away from the source everywhere", () => {
    const tensor = { Mrr: 1, Mtt: 1, Mpp: 1, Mrt: 0, Mrp: 0, Mtp: 0 };
    for (const x of [-0.9, 0, 0.6]) expect(firstMotion({ tensor }, x, 0.3)).toBeCloseTo(1, 9);
  });
});

const SIDE = 96;

describe("a beach ball", () => {
  test("is dark where motion is away from the source, light where it is towards it, and nothing outside", () => {
    const pixels = ballPixels({ plane: { strike: 30, dip: 45, rake: -90 } }, SIDE);
    const at = (x: number, y: number) =>
      pixels.subarray(
        4 * (Math.round((0.5 - y / 2) * SIDE) * SIDE + Math.round((0.5 + x / 2) * SIDE)),
      );
    expect([at(0, 0)[0], at(0, 0)[3]]).toEqual([255, 255]);
    // Across the strike of 30°.
    expect(at(0.78, -0.45)[0]).toBe(60);
    expect(at(-0.78, 0.45)[0]).toBe(60);
    // Along it.
    expect(at(0.4, 0.69)[0]).toBe(255);
    expect(at(-0.95, -0.95)[3]).toBe(0);
  });
});

const PLANES: fc.Arbitrary<Plane> = fc.record({
  strike: fc.double({ min: 0, max: 359.9, noNaN: true }),
  dip: fc.double({ min: 1, max: 89, noNaN: true }),
  rake: fc.double({ min: -180, max: 180, noNaN: true }),
});
const PARTS = fc.double({ min: -1, max: 1, noNaN: true });
const TENSORS = fc.record({
  Mrr: PARTS,
  Mtt: PARTS,
  Mpp: PARTS,
  Mrt: PARTS,
  Mrp: PARTS,
  Mtp: PARTS,
});

/** Where an axis leaves the ball (beach-ball.ts): to the east, to the north. */
function pointOf({ azimuth, plunge }: Axis): readonly [x: number, y: number] {
  const from = Math.SQRT2 * Math.sin(((90 - plunge) / 2) * RADIANS_PER_DEGREE);
  return [
    from * Math.sin(azimuth * RADIANS_PER_DEGREE),
    from * Math.cos(azimuth * RADIANS_PER_DEGREE),
  ];
}

describe("principal axes", () => {
  test("of a plane have the greatest motion away, the greatest towards the source, and none", () => {
    fc.assert(
      fc.property(PLANES, (plane) => {
        const { t, p, n } = axesOfPlane(plane);
        expect(firstMotion({ plane }, ...pointOf(t))).toBeCloseTo(0.5, 6);
        expect(firstMotion({ plane }, ...pointOf(p))).toBeCloseTo(-0.5, 6);
        expect(firstMotion({ plane }, ...pointOf(n))).toBeCloseTo(0, 6);
      }),
    );
  });

  test("of a tensor are at the extremes of its motion: no ray has more, and none less", () => {
    fc.assert(
      fc.property(TENSORS, PARTS, PARTS, (tensor, x, y) => {
        const axes = axesOfTensor(tensor);
        fc.pre(axes !== null && Math.hypot(x, y) <= 1);
        const at = (axis: Axis) => firstMotion({ tensor }, ...pointOf(axis));
        const [most, least] = [at(axes.t), at(axes.p)];
        expect(firstMotion({ tensor }, x, y)).toBeLessThanOrEqual(most + 1e-6);
        expect(firstMotion({ tensor }, x, y)).toBeGreaterThanOrEqual(least - 1e-6);
        // The three eigenvalues add up to the trace.
        const trace = tensor.Mrr + tensor.Mtt + tensor.Mpp;
        expect(most + least + at(axes.n)).toBeCloseTo(trace, 6);
      }),
    );
  });

  test("of an explosion are none", () => {
    expect(axesOfTensor({ Mrr: 1, Mtt: 1, Mpp: 1, Mrt: 0, Mrp: 0, Mtp: 0 })).toBeNull();
    expect(axesOfTensor({ Mrr: 0, Mtt: 0, Mpp: 0, Mrt: 0, Mrp: 0, Mtp: 0 })).toBeNull();
  });

  test("of the textbook's faults are where they are drawn", () => {
    // A left-lateral vertical fault that strikes north is pulled to the north-east.
    const { t, n } = axesOfPlane({ strike: 0, dip: 90, rake: 0 });
    expect([t.azimuth % 180, t.plunge]).toEqual([expect.closeTo(45, 6), expect.closeTo(0, 6)]);
    expect(n.plunge).toBeCloseTo(90, 6);
    // A reverse fault at 45° lifts the ground: T stands upright.
    expect(axesOfPlane({ strike: 30, dip: 45, rake: 90 }).t.plunge).toBeCloseTo(90, 6);
  });
});

test("the planes of a double couple's tensor give the tensor again", () => {
  fc.assert(
    fc.property(PLANES, (plane) => {
      const tensor = tensorOf(plane, 1);
      for (const found of planesOfTensor(tensor) ?? []) {
        for (const [part, value] of Object.entries(tensorOf(found, 1))) {
          expect(value).toBeCloseTo(tensor[part as keyof typeof tensor], 6);
        }
      }
      expect(planesOfTensor(tensor)).toHaveLength(2);
    }),
  );
});

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
    expect(givenTensor(given)).toBeNull();
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
