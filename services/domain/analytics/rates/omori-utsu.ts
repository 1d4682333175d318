import { distanceFromUniform, kolmogorovP } from "../numbers/distributions.ts";
import { type Estimate, integrate, noEstimate, rootOf, type Warning } from "../numbers/numerics.ts";

/** The law of aftershocks within a window, and their decay beside it. @param days since the main event */
export function fitDecay(days: Float64Array, window: OmoriWindow) {
  const fit = omoriUtsu(days, window);
  return { fit, bins: decayBins(days, window, fit.estimate) };
}

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
  const { c, p } = parameters;
  const expectedUntil = (end: number) => omoriIntegral(c, p, { start: window.start, end });
  // The expected number of events before each, as a part of all: uniform if the law holds.
  const all = expectedUntil(window.end);
  const ks = distanceFromUniform(within.map((day) => expectedUntil(day) / all));
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

type OmoriErrors = Readonly<Record<"sigmaK" | "sigmaC" | "sigmaP", number | null>>;

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

/** Aftershocks between two times of equal distance in their logarithm. */
type DecayBin = {
  /** Days after the main event. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Events per day. */
  readonly rate: number;
  /** Events per day by the law; null without one. */
  readonly expected: number | null;
};

const BINS_PER_DECADE = 5;

/** The decay of the rate over a window, from its start, or the first event where that is 0. */
export function decayBins(
  days: Float64Array,
  { start, end }: OmoriWindow,
  law: OmoriParameters | null,
): DecayBin[] {
  const first = start > 0 ? start : days.reduce((least, day) => Math.min(least, day), end);
  const decades = Math.log10(end / first);
  if (!(decades > 0 && Number.isFinite(decades))) return [];
  const n = Math.max(1, Math.ceil(decades * BINS_PER_DECADE - 1e-9));
  const edge = (i: number) => (i === n ? end : first * (end / first) ** (i / n));
  const counts = new Array<number>(n).fill(0);
  for (const day of days) {
    let bin = Math.min(n - 1, Math.max(0, Math.floor((Math.log10(day / first) / decades) * n)));
    if (day < edge(bin)) bin--;
    else if (bin < n - 1 && day >= edge(bin + 1)) bin++;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, i) => {
    const [from, to] = [edge(i), edge(i + 1)];
    const expected =
      law === null
        ? null
        : (law.K * omoriIntegral(law.c, law.p, { start: from, end: to })) / (to - from);
    return { from, to, count, rate: count / (to - from), expected };
  });
}

type OmoriParameters = {
  /** Events per day at one day, for p = 1; days^(p−1). */
  readonly K: number;
  /** Days. */
  readonly c: number;
  readonly p: number;
};

/** Days within which c is sought. */
const C_BOUNDS = { min: 1e-5, max: 100 } as const;
const P_BOUNDS = { min: -1, max: 10 } as const;

const STEPS_OF_C = 32;

/**
 * The most likely parameters of λ(t) = K (t + c)^−p (Ogata 1983). For each c the likelihood has one
 * maximum in K and p, as λ is then log-linear in ln K and p; the best c is sought over its bounds and
 * then where the derivative of the likelihood is 0.
 * @param days of the events since the main event, within the window
 */
export function maximiseOmori(days: Float64Array, window: OmoriWindow) {
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
  // Where the density of t is as (t + c)^−p, the mean of ln(t + c) falls with p.
  const meanLog = (p: number) => logMoment(p, 1, { c, window }) / omoriIntegral(c, p, window);
  const p = rootOf((exponent) => meanLog(exponent) - sum / n, P_BOUNDS.min, P_BOUNDS.max);
  const integral = omoriIntegral(c, p, window);
  return { p, K: n / integral, lnL: n * Math.log(n / integral) - p * sum - n };
}

/** ∂ ln L / ∂c at the best K and p for this c. */
function slopeInC(days: Float64Array, c: number, window: OmoriWindow): number {
  const { K, p } = atOffset(days, c, window);
  let sum = 0;
  for (const day of days) sum += 1 / (day + c);
  const { start, end } = window;
  return -p * sum - K * ((end + c) ** -p - (start + c) ** -p);
}

/** A window of days after the main event. */
export type OmoriWindow = { readonly start: number; readonly end: number };

/** Near p = 1 the closed form loses its digits, the series does not. */
const NEAR_ONE = 1e-4;

/**
 * ∫ (t + c)^−p dt over the window: Λ / K of Omori and Utsu's law. With L = ln((T + c)/(S + c)) it is
 * (S + c)^(1−p) · (e^((1−p)L) − 1)/(1 − p), which is L at p = 1.
 */
export function omoriIntegral(c: number, p: number, { start, end }: OmoriWindow): number {
  const span = Math.log((end + c) / (start + c));
  const x = (1 - p) * span;
  const factor =
    Math.abs(x) < NEAR_ONE ? 1 + (x / 2) * (1 + (x / 3) * (1 + x / 4)) : Math.expm1(x) / x;
  return (start + c) ** (1 - p) * span * factor;
}

/** ∫ (t + c)^−q · ln(t + c)^k dt over the window, by quadrature in ln(t + c), where it is smooth. */
export function logMoment(
  q: number,
  k: number,
  { c, window: { start, end } }: { readonly c: number; readonly window: OmoriWindow },
): number {
  return integrate((y) => y ** k * Math.exp((1 - q) * y), {
    from: Math.log(start + c),
    to: Math.log(end + c),
    panel: 0.5,
  });
}
