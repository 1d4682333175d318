import { compensatedSum } from "../numbers/compensated-sum.ts";
import type { Line, Points } from "./points.ts";

/**
 * Ordinary least squares: slope = s_xy / s_xx, which takes x as free of error and so lies too flat
 * where it is not. For reference (Castellaro, Mulargia & Kagan 2006).
 * @returns null where all x are equal
 */
export function ordinaryLeastSquares(points: Points): Line | null {
  const { meanX, meanY, xx, xy } = momentsOf(points);
  if (xx === 0) return null;
  const slope = xy / xx;
  return { slope, intercept: meanY - slope * meanX };
}

/**
 * General orthogonal regression, for x and y that both have errors:
 * slope = [s_yy − η s_xx + √((s_yy − η s_xx)² + 4 η s_xy²)] / (2 s_xy), through the mean
 * (Fuller 1987; Castellaro, Mulargia & Kagan 2006).
 * @param eta variance of the errors of y by that of x, above 0
 * @returns null where x and y do not vary together
 */
export function orthogonalRegression(points: Points, eta: number): Line | null {
  const { meanX, meanY, xx, xy, yy } = momentsOf(points);
  if (xy === 0) return null;
  const excess = yy - eta * xx;
  const root = Math.hypot(excess, 2 * Math.sqrt(eta) * xy);
  // Of two equal forms the one in which nothing is cancelled.
  const slope = excess > 0 ? (excess + root) / (2 * xy) : (2 * eta * xy) / (root - excess);
  return { slope, intercept: meanY - slope * meanX };
}

/** Means, and sums of squares and products about them: the regressions need only their ratios. */
function momentsOf({ x, y }: Points) {
  const meanX = compensatedSum(x) / x.length;
  const meanY = compensatedSum(y) / y.length;
  const dx = x.map((value) => value - meanX);
  const dy = y.map((value) => value - meanY);
  const sum = (a: Float64Array, b: Float64Array) =>
    compensatedSum(a.map((value, i) => value * (b[i] ?? 0)));
  return { meanX, meanY, xx: sum(dx, dx), xy: sum(dx, dy), yy: sum(dy, dy) };
}
