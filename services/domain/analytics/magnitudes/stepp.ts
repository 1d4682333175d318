/** Classes of magnitudes are five bins of 0.1, from whole and half magnitudes on. */
export const STEPP_CLASSES = { binWidth: 0.1, binsPerClass: 5 } as const;

const MOST_STEPS = 200;

/** Whole years, so that there are at most 200 steps; 0 steps for less than a year. */
export function steppSteps(years: number): { steps: number; stepYears: number } {
  const stepYears = Math.max(1, Math.ceil(years / MOST_STEPS));
  return { stepYears, steps: Math.floor(years / stepYears) };
}

export type SteppClass = ReturnType<typeof steppTest> & {
  /** The lowest magnitude of the class. */
  readonly magnitude: number;
  /** Events within the steps. */
  readonly n: number;
};

/**
 * Stepp's test of each class that has events, from the lowest on.
 * @param counts events of a class in a step, of which 0 is the latest; those before the steps are left out
 */
export function steppClasses(
  counts: readonly { readonly class: number; readonly step: number; readonly count: number }[],
  { steps, stepYears }: ReturnType<typeof steppSteps>,
): SteppClass[] {
  const byClass = new Map<number, number[]>();
  for (const { class: index, step, count } of counts) {
    if (step < 0 || step >= steps) continue;
    const known = byClass.get(index) ?? new Array<number>(steps).fill(0);
    known[step] = (known[step] ?? 0) + count;
    byClass.set(index, known);
  }
  const { binWidth, binsPerClass } = STEPP_CLASSES;
  return [...byClass]
    .toSorted(([a], [b]) => a - b)
    .map(([index, known]) => ({
      magnitude: Number((index * binsPerClass * binWidth).toFixed(9)),
      n: known.reduce((sum, count) => sum + count, 0),
      ...steppTest(known, stepYears),
    }));
}

const MIN_POINTS = 4;

/**
 * Stepp's test of one class of magnitudes (Stepp 1972): a constant rate λ gives σ = √(λ / T). Where
 * events are missing from some time back, σ falls faster than T^(−1/2). Two segments are fitted to
 * log σ against log T, the first of slope −1/2; the second must be steeper, and must improve Akaike's
 * criterion over the first alone.
 * @param counts events of each step of time, the latest first
 * @returns `completeYears`, the longest time over which σ falls as T^(−1/2); null for fewer than `MIN_POINTS` with events
 */
export function steppTest(counts: readonly number[], stepYears: number) {
  let n = 0;
  /** Numbers of events over ever longer times, back from the end; σ is that of the yearly rate, √(n / T) / √T. */
  const points = counts.map((count, i) => {
    n += count;
    const years = (i + 1) * stepYears;
    return { years, n, sigma: n === 0 ? null : Math.sqrt(n) / years };
  });
  const known = points.flatMap(({ years, sigma }) =>
    sigma === null ? [] : [{ x: Math.log10(years), y: Math.log10(sigma), years }],
  );
  if (known.length < MIN_POINTS) return { points, completeYears: null };
  return { points, completeYears: known[lastOfFirstSegment(known)]?.years ?? null };
}

type LogPoint = { readonly x: number; readonly y: number };

/** The error of a fit without error still has rounding. */
const LEAST_ERROR = 1e-20;

function lastOfFirstSegment(points: readonly LogPoint[]): number {
  const n = points.length;
  const akaike = (error: number, parameters: number) =>
    n * Math.log(Math.max(error, LEAST_ERROR) / n) + 2 * parameters;
  let best = { last: n - 1, score: akaike(fitBroken(points, n - 1).error, 1) };
  for (let last = 0; last < n - 1; last++) {
    const { error, slope } = fitBroken(points, last);
    const score = akaike(error, 3);
    if (slope < -0.5 && score < best.score) best = { last, score };
  }
  return best.last;
}

/** Least squares of y = a − x/2 + s · max(0, x − x_last): a continuous line with one break. */
function fitBroken(points: readonly LogPoint[], last: number) {
  const breakAt = points[last]?.x ?? 0;
  const rows = points.map(({ x, y }) => ({ z: Math.max(0, x - breakAt), r: y + x / 2 }));
  const mean = (pick: (row: { z: number; r: number }) => number) =>
    rows.reduce((sum, row) => sum + pick(row), 0) / rows.length;
  const meanZ = mean(({ z }) => z);
  const meanR = mean(({ r }) => r);
  const spread = mean(({ z }) => (z - meanZ) ** 2);
  const bend = spread === 0 ? 0 : mean(({ z, r }) => (z - meanZ) * (r - meanR)) / spread;
  const error = rows.reduce((sum, { z, r }) => sum + (r - meanR - bend * (z - meanZ)) ** 2, 0);
  return { error, slope: bend - 0.5 };
}
