import { rootOf } from "../../numbers/root.ts";
import { logMoment, type OmoriWindow, omoriIntegral } from "./omori-integrals.ts";

export type OmoriParameters = {
  /** Events per day at one day, for p = 1; days^(p−1). */
  readonly K: number;
  /** Days. */
  readonly c: number;
  readonly p: number;
};

export type OmoriMaximum = OmoriParameters & {
  readonly lnL: number;
  readonly isAtBound: { readonly c: boolean; readonly p: boolean };
};

/** Days within which c is sought. */
export const C_BOUNDS = { min: 1e-5, max: 100 } as const;
export const P_BOUNDS = { min: -1, max: 10 } as const;

const STEPS_OF_C = 32;

/**
 * The most likely parameters of λ(t) = K (t + c)^−p (Ogata 1983). For each c the likelihood has one
 * maximum in K and p, as λ is then log-linear in ln K and p; the best c is sought over its bounds and
 * then where the derivative of the likelihood is 0.
 * @param days of the events since the main event, within the window
 */
export function maximiseOmori(days: Float64Array, window: OmoriWindow): OmoriMaximum {
  const low = Math.log(C_BOUNDS.min);
  const step = (Math.log(C_BOUNDS.max) - low) / STEPS_OF_C;
  const likelihoods = Array.from(
    { length: STEPS_OF_C + 1 },
    (_, i) => atOffset(days, Math.exp(low + i * step), window).lnL,
  );
  const best = likelihoods.indexOf(Math.max(...likelihoods));
  const slope = (logC: number) => slopeInC(days, Math.exp(logC), window);
  const isHigherAbove = slope(low + best * step) > 0;
  const from = Math.max(0, isHigherAbove ? best : best - 1);
  const to = Math.min(STEPS_OF_C, isHigherAbove ? best + 1 : best);
  const logC = rootOf(slope, low + from * step, low + to * step);
  const c = Math.min(C_BOUNDS.max, Math.max(C_BOUNDS.min, Math.exp(logC)));
  const { lnL, p, K } = atOffset(days, c, window);
  return {
    K,
    c,
    p,
    lnL,
    isAtBound: {
      c: logC - low < 1e-6 || low + STEPS_OF_C * step - logC < 1e-6,
      p: p === P_BOUNDS.min || p === P_BOUNDS.max,
    },
  };
}

/** The best K and p for one c. */
function atOffset(days: Float64Array, c: number, window: OmoriWindow) {
  const n = days.length;
  let sum = 0;
  for (const day of days) sum += Math.log(day + c);
  const p = rootOf(
    (exponent) => meanLog(c, exponent, window) - sum / n,
    P_BOUNDS.min,
    P_BOUNDS.max,
  );
  const integral = omoriIntegral(c, p, window);
  return { p, K: n / integral, lnL: n * Math.log(n / integral) - p * sum - n };
}

/** The mean of ln(t + c) where the density of t is as (t + c)^−p: it falls with p. */
function meanLog(c: number, p: number, window: OmoriWindow): number {
  return logMoment(p, 1, { c, window }) / omoriIntegral(c, p, window);
}

/** ∂ ln L / ∂c at the best K and p for this c. */
function slopeInC(days: Float64Array, c: number, window: OmoriWindow): number {
  const { K, p } = atOffset(days, c, window);
  let sum = 0;
  for (const day of days) sum += 1 / (day + c);
  const { start, end } = window;
  return -p * sum - K * ((end + c) ** -p - (start + c) ** -p);
}
