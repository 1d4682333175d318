import {
  dot,
  type Plane,
  type Tensor,
  type Vector,
  vectorsOf,
} from "#contracts/seismic-event/double-couple.ts";

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
