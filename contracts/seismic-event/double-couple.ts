/**
 * Double couples: slip on either of two planes at right angles, and the moment tensor of both
 * (Aki and Richards 2002, Quantitative Seismology, box 4.4).
 */

import { RADIANS_PER_DEGREE } from "../units.ts";

/** A plane of slip; strike, dip and rake in degrees. */
export type Plane = { readonly strike: number; readonly dip: number; readonly rake: number };

/** Components of a moment tensor; r up, t south, p east. In N·m unless another unit is named. */
export type Tensor = Readonly<Record<"Mrr" | "Mtt" | "Mpp" | "Mrt" | "Mrp" | "Mtp", number>>;

export type Vector = readonly [north: number, east: number, down: number];

/** The normal of a plane, upwards, and the direction in which the block above it slips. */
export function vectorsOf({ strike, dip, rake }: Plane): { normal: Vector; slip: Vector } {
  const [s, d, r] = [
    strike * RADIANS_PER_DEGREE,
    dip * RADIANS_PER_DEGREE,
    rake * RADIANS_PER_DEGREE,
  ];
  return {
    normal: [-Math.sin(d) * Math.sin(s), Math.sin(d) * Math.cos(s), -Math.cos(d)],
    slip: [
      Math.cos(r) * Math.cos(s) + Math.cos(d) * Math.sin(r) * Math.sin(s),
      Math.cos(r) * Math.sin(s) - Math.cos(d) * Math.sin(r) * Math.cos(s),
      -Math.sin(d) * Math.sin(r),
    ],
  };
}

/** The plane with a normal and a slip, both of length 1 and at right angles. */
export function planeOf(normal: Vector, slip: Vector): Plane {
  const sign = normal[2] > 0 ? -1 : 1;
  const [north, east, down] = scaled(normal, sign);
  const dip = Math.acos(Math.min(1, Math.max(-1, -down)));
  const strike = Math.atan2(-north, east);
  const along: Vector = [Math.cos(strike), Math.sin(strike), 0];
  const up: Vector = [
    Math.cos(dip) * Math.sin(strike),
    -Math.cos(dip) * Math.cos(strike),
    -Math.sin(dip),
  ];
  const moved = scaled(slip, sign);
  return {
    strike: (strike / RADIANS_PER_DEGREE + 360) % 360,
    dip: dip / RADIANS_PER_DEGREE,
    rake: Math.atan2(dot(moved, up), dot(moved, along)) / RADIANS_PER_DEGREE,
  };
}

/** The other plane on which the same slip could have been: normal and slip change places. */
export function auxiliaryPlane(plane: Plane): Plane {
  const { normal, slip } = vectorsOf(plane);
  return planeOf(slip, normal);
}

/** The tensor of slip on a plane. @param moment N·m */
export function tensorOf(plane: Plane, moment: number): Tensor {
  const { normal: n, slip: u } = vectorsOf(plane);
  const part = (i: 0 | 1 | 2, j: 0 | 1 | 2) => moment * (n[i] * u[j] + n[j] * u[i]);
  return {
    Mrr: part(2, 2),
    Mtt: part(0, 0),
    Mpp: part(1, 1),
    Mrt: part(0, 2),
    Mrp: -part(1, 2),
    Mtp: -part(0, 1),
  };
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function scaled([north, east, down]: Vector, by: number): Vector {
  return [north * by, east * by, down * by];
}
