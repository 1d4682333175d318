import {
  dot,
  type Plane,
  planeOf,
  scaled,
  type Tensor,
  type Vector,
  vectorsOf,
} from "#contracts/seismic-event/double-couple.ts";
import { RADIANS_PER_DEGREE } from "#contracts/units.ts";

/**
 * Focal spheres: where the first motion of P waves is away from the source (dark) or towards it
 * (light), on the lower hemisphere in Lambert's equal-area projection.
 */

export type Mechanism = { readonly tensor: Tensor } | { readonly plane: Plane };

/**
 * The first motion at a point of the ball: positive away from the source, negative towards it.
 * @param x from the middle to the east, 1 at the rim
 * @param y from the middle to the north
 */
export function firstMotion(mechanism: Mechanism, x: number, y: number): number {
  const ray = rayAt(x, y);
  if ("plane" in mechanism) {
    const { normal, slip } = vectorsOf(mechanism.plane);
    return dot(normal, ray) * dot(slip, ray);
  }
  const { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp } = mechanism.tensor;
  const [r, t, p] = [-ray[2], -ray[0], ray[1]];
  return Mrr * r * r + Mtt * t * t + Mpp * p * p + 2 * (Mrt * r * t + Mrp * r * p + Mtp * t * p);
}

/** The direction in which a ray leaves the source downwards. */
function rayAt(x: number, y: number): Vector {
  const from = Math.min(1, Math.hypot(x, y));
  if (from === 0) return [0, 0, 1];
  const fromDown = 2 * Math.asin(from / Math.SQRT2);
  const across = Math.sin(fromDown) / from;
  return [y * across, x * across, Math.cos(fromDown)];
}

const DARK = 60;
const LIGHT = 255;

/**
 * A ball's pixels, row by row from the north: each pixel the mean of nine points in it.
 * @returns red, green, blue and cover of each, 0 to 255
 */
export function ballPixels(mechanism: Mechanism, side: number): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * side * side);
  const radius = side / 2 - 1;
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const { cover, shade } = pixelAt(mechanism, column, row, side / 2, radius);
      const at = 4 * (row * side + column);
      pixels.fill(shade, at, at + 3);
      pixels[at + 3] = cover;
    }
  }
  return pixels;
}

/** The rim's width, as a share of the radius. */
const RIM = 0.03;

function pixelAt(
  mechanism: Mechanism,
  column: number,
  row: number,
  middle: number,
  radius: number,
): { cover: number; shade: number } {
  let [inside, light] = [0, 0];
  for (let n = 0; n < 9; n++) {
    const x = (column + ((n % 3) + 0.5) / 3 - middle) / radius;
    const y = (middle - row - (Math.floor(n / 3) + 0.5) / 3) / radius;
    const from = Math.hypot(x, y);
    if (from > 1) continue;
    inside++;
    if (from < 1 - RIM && firstMotion(mechanism, x, y) <= 0) light++;
  }
  if (inside === 0) return { cover: 0, shade: DARK };
  return {
    cover: Math.round((inside / 9) * 255),
    shade: Math.round(DARK + ((LIGHT - DARK) * light) / inside),
  };
}

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
    azimuth: (Math.atan2(east, north) / RADIANS_PER_DEGREE + 360) % 360,
    plunge: Math.atan2(down, Math.hypot(north, east)) / RADIANS_PER_DEGREE,
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
