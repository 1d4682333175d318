const MAX_STEPS = 100;
const TOLERANCE = 1e-13;

/**
 * Where a continuous function that is positive at `above` and negative at `below` is 0 (Ridders 1979);
 * the end that it comes nearest to where it has one sign only.
 */
export function rootOf(f: (x: number) => number, above: number, below: number): number {
  let positive = { x: above, y: f(above) };
  if (positive.y <= 0) return above;
  let negative = { x: below, y: f(below) };
  if (negative.y >= 0) return below;
  let last = Number.NaN;
  for (let step = 0; step < MAX_STEPS; step++) {
    const x = (positive.x + negative.x) / 2;
    const middle = { x, y: f(x) };
    if (middle.y === 0) return x;
    const root = Math.sqrt(middle.y ** 2 - positive.y * negative.y);
    const next = x + ((x - positive.x) * middle.y) / root;
    if (Math.abs(next - last) <= TOLERANCE * (1 + Math.abs(next))) return next;
    last = next;
    const guess = { x: next, y: f(next) };
    if (guess.y === 0) return next;
    for (const point of [middle, guess]) {
      if (point.y > 0) positive = nearer(positive, point, negative);
      else negative = nearer(negative, point, positive);
    }
  }
  return last;
}

type Point = { readonly x: number; readonly y: number };

/** Of two points on one side of the root, that nearer to the other side. */
function nearer(a: Point, b: Point, other: Point): Point {
  return Math.abs(a.x - other.x) < Math.abs(b.x - other.x) ? a : b;
}
