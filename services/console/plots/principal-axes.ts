import {
  type Plane,
  planeOf,
  RADIANS,
  scaled,
  type Tensor,
  type Vector,
  vectorsOf,
} from "#contracts/seismic-event/double-couple.ts";

/** The direction of an axis: azimuth clockwise from north and plunge below the horizon, in degrees. */
export type Axis = { readonly azimuth: number; readonly plunge: number };

/** The axes of tension, of pressure and the null axis. */
export type PrincipalAxes = { readonly t: Axis; readonly p: Axis; readonly n: Axis };

/** T lies between the normal of the plane and its slip, P across them, N along their planes' line. */
export function axesOfPlane(plane: Plane): PrincipalAxes {
  const { normal, slip } = vectorsOf(plane);
  return {
    t: axisAlong(sum(normal, slip)),
    p: axisAlong(sum(normal, scaled(slip, -1))),
    n: axisAlong(cross(normal, slip)),
  };
}

/** The eigenvectors of a tensor by their eigenvalues; null where none is larger than another. */
export function axesOfTensor(tensor: Tensor): PrincipalAxes | null {
  const vectors = eigenvectorsOf(tensor);
  if (!vectors) return null;
  const [t, n, p] = vectors;
  return { t: axisAlong(t), p: axisAlong(p), n: axisAlong(n) };
}

/** Both planes of the double couple with a tensor's axes; null where it has none. */
export function planesOfTensor(tensor: Tensor): readonly [Plane, Plane] | null {
  const vectors = eigenvectorsOf(tensor);
  if (!vectors) return null;
  const [t, , p] = vectors;
  const normal = scaled(sum(t, p), Math.SQRT1_2);
  const slip = scaled(sum(t, scaled(p, -1)), Math.SQRT1_2);
  return [planeOf(normal, slip), planeOf(slip, normal)];
}

/** Where a line through the source leaves it downwards. */
function axisAlong(vector: Vector): Axis {
  const [north, east, down] = vector[2] < 0 ? scaled(vector, -1) : vector;
  return {
    azimuth: (Math.atan2(east, north) / RADIANS + 360) % 360,
    plunge: Math.atan2(down, Math.hypot(north, east)) / RADIANS,
  };
}

function sum(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

const PAIRS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
] as const;
/** Each sweep squares what is left beside the diagonal. */
const SWEEPS = 12;
/** Of the largest element: eigenvalues nearer to each other than this are the same. */
const SAME = 1e-9;

type Matrix = [Rows, Rows, Rows];
type Rows = [number, number, number];

/** Of length 1, the one of the largest eigenvalue first, by Jacobi's rotations. */
function eigenvectorsOf({ Mrr, Mtt, Mpp, Mrt, Mrp, Mtp }: Tensor): [Vector, Vector, Vector] | null {
  const size = Math.max(...[Mrr, Mtt, Mpp, Mrt, Mrp, Mtp].map(Math.abs));
  // Symmetric, by north, east and down.
  const left: Matrix = [
    [Mtt, -Mtp, Mrt],
    [-Mtp, Mpp, -Mrp],
    [Mrt, -Mrp, Mrr],
  ];
  const axes: Matrix = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [i, j, other] of PAIRS) rotate(left, axes, i, j, other);
  }
  const sorted = ([0, 1, 2] as const).toSorted((a, b) => left[b][b] - left[a][a]);
  const [first = 0, second = 1, third = 2] = sorted;
  if (left[first][first] - left[third][third] <= SAME * size) return null;
  return [axes[first], axes[second], axes[third]];
}

type Index = 0 | 1 | 2;

/** Turns about the third axis so that the element of the other two is 0. */
function rotate(left: Matrix, axes: Matrix, i: Index, j: Index, other: Index): void {
  const beside = left[i][j];
  if (beside === 0) return;
  const half = (left[j][j] - left[i][i]) / (2 * beside);
  const tan = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.hypot(half, 1));
  const cos = 1 / Math.hypot(tan, 1);
  const sin = tan * cos;
  left[i][i] -= tan * beside;
  left[j][j] += tan * beside;
  left[i][j] = left[j][i] = 0;
  const [a, b] = [left[other][i], left[other][j]];
  left[other][i] = left[i][other] = cos * a - sin * b;
  left[other][j] = left[j][other] = sin * a + cos * b;
  for (const k of [0, 1, 2] as const) {
    const [x, y] = [axes[i][k], axes[j][k]];
    axes[i][k] = cos * x - sin * y;
    axes[j][k] = sin * x + cos * y;
  }
}
