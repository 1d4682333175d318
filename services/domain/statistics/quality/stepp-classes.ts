import { type SteppResult, steppTest } from "./stepp.ts";

/** Classes of magnitudes are five bins of 0.1, from whole and half magnitudes on. */
export const STEPP_CLASSES = { binWidth: 0.1, binsPerClass: 5 } as const;

const MOST_STEPS = 200;

/** Whole years, so that there are at most 200 steps; 0 steps for less than a year. */
export function steppSteps(years: number): { steps: number; stepYears: number } {
  const stepYears = Math.max(1, Math.ceil(years / MOST_STEPS));
  return { stepYears, steps: Math.floor(years / stepYears) };
}

export type SteppClass = SteppResult & {
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
