import { type Estimate, noEstimate } from "../../estimate.ts";
import { distanceFromUniform, kolmogorovP } from "../../numbers/kolmogorov.ts";
import type { Warning } from "../../warning.ts";
import { C_BOUNDS, maximiseOmori, type OmoriParameters, P_BOUNDS } from "./omori-fit.ts";
import { logMoment, type OmoriWindow, omoriIntegral } from "./omori-integrals.ts";

export const REQUIRED_AFTERSHOCKS = 30;

const PARAMETERS = 3;
const ADVISED_START_DAYS = 0.01;
const UNUSUAL_P = 2;

export type OmoriEstimate = OmoriParameters &
  OmoriErrors & {
    readonly n: number;
    readonly lnL: number;
    /** Akaike's criterion, −2 ln L + 6. */
    readonly aic: number;
    /** Kolmogorov's distance of the transformed times from a Poisson process of rate 1, over n. */
    readonly ks: number;
    /** The probability of at least that distance. */
    readonly ksP: number;
  };

/**
 * Omori and Utsu's law λ(t) = K (t + c)^−p of aftershocks by maximum likelihood (Utsu 1961; Ogata 1983):
 * K in events · days^(p−1), c in days.
 * @param days of aftershocks since the main event; those outside the window are left out
 */
export function omoriUtsu(
  days: Iterable<number>,
  window: OmoriWindow,
): Estimate<OmoriEstimate> & { readonly warnings: readonly Warning[] } {
  const within = Float64Array.from(days)
    .filter((day) => day >= window.start && day <= window.end)
    .sort();
  const n = within.length;
  if (n < REQUIRED_AFTERSHOCKS) {
    const reason = `Omori and Utsu's law needs ${REQUIRED_AFTERSHOCKS} events in the window`;
    return { ...noEstimate(reason, n, REQUIRED_AFTERSHOCKS), warnings: [] };
  }
  const { lnL, isAtBound, ...parameters } = maximiseOmori(within, window);
  const ks = distanceFromUniform(transformedTimes(within, parameters, window));
  return {
    estimate: {
      n,
      ...parameters,
      ...omoriErrors(parameters, window),
      lnL,
      aic: -2 * lnL + 2 * PARAMETERS,
      ks,
      ksP: kolmogorovP(ks, n),
    },
    warnings: warningsOf(parameters, isAtBound, window),
  };
}

/** The expected number of events before each, as a part of all: uniform if the law holds. */
function transformedTimes(
  days: Float64Array,
  { c, p }: OmoriParameters,
  { start, end }: OmoriWindow,
): Float64Array {
  const all = omoriIntegral(c, p, { start, end });
  return days.map((day) => omoriIntegral(c, p, { start, end: day }) / all);
}

function warningsOf(
  { c, p }: OmoriParameters,
  isAtBound: { readonly c: boolean; readonly p: boolean },
  { start }: OmoriWindow,
): Warning[] {
  const warnings: Warning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message });
  if (isAtBound.c) {
    const { min, max } = C_BOUNDS;
    warn("C_AT_BOUND", `c = ${c} days is at a bound of its search, ${min} to ${max}`);
  }
  if (isAtBound.p) {
    const { min, max } = P_BOUNDS;
    warn("P_AT_BOUND", `p = ${p} is at a bound of its search, ${min} to ${max}`);
  } else if (p > UNUSUAL_P) {
    warn(
      "P_UNUSUAL",
      `p = ${p.toFixed(2)} is above ${UNUSUAL_P}: K, c and p can hardly be told apart`,
    );
  }
  if (start < ADVISED_START_DAYS) {
    warn(
      "EARLY_START",
      `soon after a main event catalogues miss events: a start of ${ADVISED_START_DAYS} days or later is advised`,
    );
  }
  return warnings;
}

type OmoriErrors = {
  readonly sigmaK: number | null;
  readonly sigmaC: number | null;
  readonly sigmaP: number | null;
};

/**
 * Standard errors from the inverse of the expected Fisher information in (K, c, p), whose elements are
 * ∫ ∂aλ · ∂bλ / λ dt over the window (Ogata 1983). null where it has no inverse.
 */
function omoriErrors({ K, c, p }: OmoriParameters, window: OmoriWindow): OmoriErrors {
  const moment = (q: number, k: number) => logMoment(q, k, { c, window });
  const kk = moment(p, 0) / K;
  const kc = -p * moment(p + 1, 0);
  const kp = -moment(p, 1);
  const cc = p * p * K * moment(p + 2, 0);
  const cp = p * K * moment(p + 1, 1);
  const pp = K * moment(p, 2);
  const minorK = cc * pp - cp * cp;
  const minorC = kk * pp - kp * kp;
  const minorP = kk * cc - kc * kc;
  const determinant = kk * minorK - kc * (kc * pp - cp * kp) + kp * (kc * cp - cc * kp);
  return {
    sigmaK: rootOrNull(minorK / determinant),
    sigmaC: rootOrNull(minorC / determinant),
    sigmaP: rootOrNull(minorP / determinant),
  };
}

function rootOrNull(variance: number): number | null {
  return variance >= 0 && Number.isFinite(variance) ? Math.sqrt(variance) : null;
}
