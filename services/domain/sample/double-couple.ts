/** A plane of slip, in degrees (Aki & Richards 1980). */
export type Plane = { readonly strike: number; readonly dip: number; readonly rake: number };

/** North, east, down. */
type Vector = readonly [north: number, east: number, down: number];

const RADIANS = Math.PI / 180;

/** The normal of the plane, and the direction in which the block above it slips. */
function vectorsOf({ strike, dip, rake }: Plane): { normal: Vector; slip: Vector } {
  const [s, d, r] = [strike * RADIANS, dip * RADIANS, rake * RADIANS];
  return {
    normal: [-Math.sin(d) * Math.sin(s), Math.sin(d) * Math.cos(s), -Math.cos(d)],
    slip: [
      Math.cos(r) * Math.cos(s) + Math.cos(d) * Math.sin(r) * Math.sin(s),
      Math.cos(r) * Math.sin(s) - Math.cos(d) * Math.sin(r) * Math.cos(s),
      -Math.sin(d) * Math.sin(r),
    ],
  };
}

/** The other plane on which the same slip could have been: normal and slip change places. */
export function auxiliaryPlane(plane: Plane): Plane {
  const { normal, slip } = vectorsOf(plane);
  // The normal of a plane points up.
  const sign = slip[2] > 0 ? -1 : 1;
  const [n0, n1, n2] = slip.map((part) => sign * part) as [number, number, number];
  const [s0, s1, s2] = normal.map((part) => sign * part) as [number, number, number];
  const dip = Math.acos(Math.min(1, -n2));
  const strike = Math.atan2(-n0, n1);
  const along = s0 * Math.cos(strike) + s1 * Math.sin(strike);
  const rake = Math.atan2(-s2 / Math.max(Math.sin(dip), 1e-9), along);
  return {
    strike: (strike / RADIANS + 360) % 360,
    dip: dip / RADIANS,
    rake: rake / RADIANS,
  };
}

/** Components of a moment tensor in N·m: r up, t south, p east. */
export type Tensor = Readonly<Record<"Mrr" | "Mtt" | "Mpp" | "Mrt" | "Mrp" | "Mtp", number>>;

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

/** Scalar moment of a moment magnitude, N·m (IASPEI 2005). */
export function momentOf(magnitude: number): number {
  return 10 ** (1.5 * magnitude + 9.1);
}
