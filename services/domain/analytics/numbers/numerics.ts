/** Roots, integrals, sums without loss and searches. */

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

/** Nodes and weights of ten points on −1 to 1, their positive half (Abramowitz & Stegun 1964, table 25.4). */
const POINTS = [
  [0.14887433898163122, 0.29552422471475287],
  [0.4333953941292472, 0.26926671930999635],
  [0.6794095682990244, 0.21908636251598204],
  [0.8650633666889845, 0.14945134915058059],
  [0.9739065285171717, 0.06667134430868814],
] as const;

/** The integral of a smooth function from `from` to `to`, in panels not wider than `panel`. */
export function integrate(
  f: (x: number) => number,
  { from, to, panel }: { readonly from: number; readonly to: number; readonly panel: number },
): number {
  const panels = Math.max(1, Math.ceil((to - from) / panel));
  const half = (to - from) / panels / 2;
  let sum = 0;
  for (let i = 0; i < panels; i++) {
    const middle = from + (2 * i + 1) * half;
    for (const [node, weight] of POINTS) {
      sum += weight * (f(middle - half * node) + f(middle + half * node));
    }
  }
  return sum * half;
}

/**
 * The sum of numbers, with what each addition loses carried along: its error does not grow with their
 * number, nor depend on their order in a digit that is shown. After Neumaier 1974.
 */
export function compensatedSum(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/** The first of ascending values from a limit up, or above it; their number where there is none. */
export function firstAtLeast(ascending: Float64Array, limit: number, isAbove = false): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = ascending[middle] ?? 0;
    if (value < limit || (isAbove && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bins from the first that has something to the last, empty ones too; edges have so many digits. @param counts by bin */
export function binsOf(counts: ReadonlyMap<number, number>, width: number, digits: number) {
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  const edge = (bin: number) => Number((bin * width).toFixed(digits));
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => ({
    from: edge(first + i),
    to: edge(first + i + 1),
    count: counts.get(first + i) ?? 0,
  }));
}

/** An estimate, or why there is none: too few events are no error. */
export type Estimate<T> = { readonly estimate: T } | NoEstimate;

export type NoEstimate = ReturnType<typeof noEstimate>;

/**
 * Why there is no estimate, of how many events, and how many it needs.
 * @param reason a clause
 */
export function noEstimate(reason: string, n: number, required: number) {
  return { estimate: null, reason, n, required };
}

/** What a reader has to know of a result; the code is stable, the message a sentence without a full stop. */
export type Warning = { readonly code: string; readonly message: string };
