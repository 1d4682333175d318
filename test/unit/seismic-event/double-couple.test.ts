import fc from "fast-check";
import { expect, test } from "vitest";
import { auxiliaryPlane, tensorOf } from "#contracts/seismic-event/double-couple.ts";

const PLANES = fc.record({
  strike: fc.double({ min: 0, max: 359.9, noNaN: true }),
  dip: fc.double({ min: 5, max: 85, noNaN: true }),
  rake: fc.double({ min: -175, max: 175, noNaN: true }),
});

test("both planes of a double couple have the same moment tensor", () => {
  fc.assert(
    fc.property(PLANES, (plane) => {
      const other = auxiliaryPlane(plane);
      const [first, second] = [tensorOf(plane, 1), tensorOf(other, 1)];
      for (const part of ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const) {
        expect(second[part]).toBeCloseTo(first[part], 6);
      }
      expect(other.dip).toBeGreaterThanOrEqual(0);
      expect(other.dip).toBeLessThanOrEqual(90.000001);
    }),
  );
});

test("a double couple's tensor has no trace and the given moment", () => {
  fc.assert(
    fc.property(PLANES, (plane) => {
      const { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp } = tensorOf(plane, 3);
      expect(Mrr + Mtt + Mpp).toBeCloseTo(0, 9);
      const squares = Mrr ** 2 + Mtt ** 2 + Mpp ** 2 + 2 * (Mrt ** 2 + Mrp ** 2 + Mtp ** 2);
      expect(Math.sqrt(squares / 2)).toBeCloseTo(3, 9);
    }),
  );
});

test("the planes of a known mechanism are its published ones", () => {
  // Aki & Richards' vertical strike slip: the other plane is at right angles.
  const { strike, dip, rake } = auxiliaryPlane({ strike: 0, dip: 89.999, rake: 0 });
  expect(strike % 180).toBeCloseTo(90, 1);
  expect(dip).toBeCloseTo(90, 1);
  expect(Math.abs(rake)).toBeCloseTo(180, 1);
  // A normal fault dipping 60° to the east: the other dips 30° to the west.
  const normal = auxiliaryPlane({ strike: 0, dip: 60, rake: -90 });
  expect(normal.strike).toBeCloseTo(180, 6);
  expect(normal.dip).toBeCloseTo(30, 6);
  expect(normal.rake).toBeCloseTo(-90, 6);
});
