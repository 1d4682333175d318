import { TURN } from "../seismic-event/longitude.ts";

/** A place in the plane: its longitude is so many turns further east than the number, which means its shortest decimal. */
export type Point = { readonly x: number; readonly turns: number; readonly y: number };

/**
 * Of the sums of distances that a determinant is made of: above all errors of its doubles, for longitudes within
 * three turns (2⁻⁴¹ for each difference, of which the half is that of adding turns).
 */
export const ORIENTATION_ERROR = 2 ** -39;

/**
 * On which side of the line from one point to another a third lies: positive on the left, negative on the right, 0
 * on it, exactly in the decimals.
 */
export function orientation(a: Point, b: Point, p: Point): number {
  const [dx, dy] = [b.x - a.x + TURN * (b.turns - a.turns), b.y - a.y];
  const [px, py] = [p.x - a.x + TURN * (p.turns - a.turns), p.y - a.y];
  const determinant = dx * py - dy * px;
  const sum = Math.abs(dx) + Math.abs(dy) + Math.abs(px) + Math.abs(py);
  return Math.abs(determinant) > ORIENTATION_ERROR * sum ? determinant : exactly(a, b, p);
}

function exactly(a: Point, b: Point, p: Point): number {
  const points = [a, b, p];
  const numbers = points.flatMap(({ x, y }) => [decimalOf(x), decimalOf(y)]);
  const places = Math.max(0, ...numbers.map((number) => number.places));
  const scaled = numbers.map(({ digits, places: own }) => digits * 10n ** BigInt(places - own));
  const turn = BigInt(TURN) * 10n ** BigInt(places);
  const [ax, ay, bx, by, px, py] = scaled.map((number, i) =>
    i % 2 === 0 ? number + turn * BigInt(points[i / 2]?.turns ?? 0) : number,
  ) as [bigint, bigint, bigint, bigint, bigint, bigint];
  const determinant = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  return determinant > 0n ? 1 : determinant < 0n ? -1 : 0;
}

type Decimal = { readonly digits: bigint; readonly places: number };

function decimalOf(number: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}
