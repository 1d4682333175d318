import { type Estimate, noEstimate } from "../estimate.ts";
import type { Excess } from "./excess.ts";

export type BEstimator = "tinti-mulargia" | "utsu" | "aki";

export type BValue = {
  readonly n: number;
  readonly b: number;
  /** Standard error of b: ln10 · b² · √(Σ(m − m̄)² / (n(n − 1))) (Shi & Bolt 1982). */
  readonly sigma: number;
  /** Standard error of b: b / √n (Aki 1965). */
  readonly sigmaAki: number;
  /** b · (n − 1) / n: the expected b of n magnitudes is too large by n / (n − 1) (Marzocchi et al. 2020). */
  readonly bUnbiased: number;
};

/** What a b-value needs: events from Mc up, and bins with events. */
export const REQUIRED_FOR_B = { events: 10, bins: 3 } as const;

/** b from m̄ − Mc and the width of the bins Δ, magnitude units. */
const FORMULAS: Record<BEstimator, (meanExcess: number, binWidth: number) => number> = {
  /** b = ln(1 + Δ / (m̄ − Mc)) / (Δ · ln10): exact for bins (Tinti & Mulargia 1987). */
  "tinti-mulargia": (meanExcess, binWidth) =>
    Math.log1p(binWidth / meanExcess) / (binWidth * Math.LN10),
  /** b = log e / (m̄ − Mc + Δ/2): close for narrow bins (Utsu 1966). */
  utsu: (meanExcess, binWidth) => Math.LOG10E / (meanExcess + binWidth / 2),
  /** b = log e / (m̄ − Mc): for continuous magnitudes (Aki 1965). */
  aki: (meanExcess) => Math.LOG10E / meanExcess,
};

/** b with its errors, whatever the number of events. @param binWidth magnitude units; 0 for continuous ones */
export function bValueOf(excess: Excess, estimator: BEstimator, binWidth: number): BValue {
  const { n, mean, squares } = excess;
  const b = FORMULAS[binWidth === 0 ? "aki" : estimator](mean, binWidth);
  return {
    n,
    b,
    sigma: Math.LN10 * b * b * Math.sqrt(squares / (n * (n - 1))),
    sigmaAki: b / Math.sqrt(n),
    bUnbiased: (b * (n - 1)) / n,
  };
}

/** b of the magnitudes from Mc up, where they are enough. */
export function estimateB(
  excess: Excess,
  estimator: BEstimator,
  binWidth: number,
): Estimate<BValue> {
  const { n, filled, mean } = excess;
  if (n < REQUIRED_FOR_B.events) {
    return noEstimate(
      "too few events from the magnitude of completeness up",
      n,
      REQUIRED_FOR_B.events,
    );
  }
  if (filled < REQUIRED_FOR_B.bins || mean <= 0) {
    return noEstimate(
      "too few unlike magnitudes from that of completeness up",
      filled,
      REQUIRED_FOR_B.bins,
    );
  }
  return { estimate: bValueOf(excess, estimator, binWidth) };
}
