import { magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { type Estimate, noEstimate } from "../estimate.ts";
import type { Completeness, FoundCompleteness } from "./completeness.ts";
import type { LillieforsFit } from "./lilliefors.ts";
import { type KsFit, PASSING_P } from "./simulated-ks.ts";

type TestedFit = (KsFit | LillieforsFit) & { readonly n: number };

/** The lowest magnitude from which a test does not refuse the law: the last that was tested, if any. */
export function byTest(
  fits: readonly TestedFit[],
  { binWidth, events }: { readonly binWidth: number; readonly events: number },
): FoundCompleteness {
  const points = fits.map((fit) => shownOf(fit, binWidth));
  const last = points.at(-1);
  const reason = "the law is refused from every magnitude with enough events up";
  const outcome: Estimate<Completeness> =
    last === undefined || last.p < PASSING_P
      ? noEstimate(reason, events, 1)
      : { estimate: estimateOf(last) };
  return { outcome, fits: points };
}

function shownOf(fit: TestedFit, binWidth: number) {
  const { bin, n, d, p } = fit;
  const magnitude = magnitudeOf(bin, binWidth);
  if ("dStar" in fit) return { magnitude, n, d, dStar: fit.dStar, p };
  return { magnitude, n, b: fit.b, sigma: fit.sigma, d, p };
}

function estimateOf({ magnitude, ...fit }: ReturnType<typeof shownOf>): Completeness {
  if ("dStar" in fit) return { mc: magnitude, ...fit };
  const { n, b, sigma, d, p } = fit;
  return { mc: magnitude, n, b, sigmaB: sigma, d, p };
}
