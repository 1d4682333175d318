import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Plane, RADIANS, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import { firstMotion } from "#services/console/plots/beach-ball.ts";
import {
  type Axis,
  axesOfPlane,
  axesOfTensor,
  planesOfTensor,
} from "#services/console/plots/principal-axes.ts";

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
  const from = Math.SQRT2 * Math.sin(((90 - plunge) / 2) * RADIANS);
  return [from * Math.sin(azimuth * RADIANS), from * Math.cos(azimuth * RADIANS)];
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
