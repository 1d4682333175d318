import type { Estimate } from "../estimate.ts";
import { ordinaryLeastSquares, orthogonalRegression } from "./linear-regression.ts";
import type { Line, Points } from "./points.ts";
import { type TheilSenLine, theilSen } from "./theil-sen.ts";

const REQUIRED_PAIRS = 30;
const REQUIRED_RANGE = 1;
/** So that magnitudes from 3.2 to 4.2 have the range of 1 that is required. */
const TOLERANCE = 1e-9;

/** How magnitudes y follow from magnitudes x. */
export type MagnitudeRegressions = {
  /** The range of x for which the lines hold; they say nothing beyond it. */
  readonly range: { readonly min: number; readonly max: number };
  readonly ols: FittedLine;
  readonly gor: FittedLine;
  readonly theilSen: FittedLine & TheilSenLine;
};

/** `sigma` is the standard deviation of y about the line, √(Σ(y − ŷ)² / (n − 2)). */
export type FittedLine = Line & { readonly sigma: number };

/**
 * Ordinary least squares for reference, general orthogonal regression, and the line of Theil and Sen:
 * of at least 30 pairs whose x differ by at least 1.
 * @param eta variance of the errors of y by that of x
 */
export function magnitudeRegressions(points: Points, eta: number): Estimate<MagnitudeRegressions> {
  const { x } = points;
  const n = x.length;
  const none = (reason: string) =>
    ({ estimate: null, reason, n, required: REQUIRED_PAIRS }) as const;
  if (n < REQUIRED_PAIRS) return none("too few pairs of events with both magnitudes");
  const range = rangeOf(x);
  if (range.max - range.min < REQUIRED_RANGE - TOLERANCE) {
    return none("the magnitudes of the first catalogue differ by less than 1");
  }
  const lines = {
    ols: ordinaryLeastSquares(points),
    gor: orthogonalRegression(points, eta),
    theilSen: theilSen(points),
  };
  if (lines.ols === null || lines.gor === null || lines.theilSen === null) {
    return none("the magnitudes do not vary together");
  }
  return {
    estimate: {
      range,
      ols: fitted(points, lines.ols),
      gor: fitted(points, lines.gor),
      theilSen: fitted(points, lines.theilSen),
    },
  };
}

function rangeOf(values: Float64Array): { min: number; max: number } {
  const both = (range: { min: number; max: number }, value: number) => ({
    min: Math.min(range.min, value),
    max: Math.max(range.max, value),
  });
  return values.reduce(both, { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY });
}

function fitted<L extends Line>({ x, y }: Points, line: L): L & { sigma: number } {
  let squares = 0;
  for (let i = 0; i < x.length; i++) {
    squares += ((y[i] ?? 0) - line.intercept - line.slope * (x[i] ?? 0)) ** 2;
  }
  return { ...line, sigma: Math.sqrt(squares / (x.length - 2)) };
}
