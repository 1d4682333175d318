import { MINUS, roundedBy, significant, withError } from "#contracts/plots/numbers.ts";
import { count, duration, minute } from "../../ui/text/format.ts";

/** How a member of an estimate is told. */
type Telling = {
  readonly name: string;
  readonly unit?: string;
  /** The member that is its standard error. */
  readonly error?: string;
  /** Rounded by that member, which is told with another. */
  readonly roundedBy?: string;
  readonly as?: (value: number) => string;
};

const percent = (share: number): string => `${significant(100 * share, 3)} %`;
const threeDigits = (value: number): string => significant(value, 3);

/** Members of estimates by their names in the field; "q.mean" is a member of one. */
const COMMON: Readonly<Record<string, Telling>> = {
  mc: { name: "Mc" },
  b: { name: "b", error: "sigma" },
  bUnbiased: { name: "b, unbiased", roundedBy: "sigma" },
  aAnnual: { name: "a, annual (log₁₀ of M ≥ 0)", as: threeDigits },
  rate: { name: "Rate of M ≥ Mc, per year", as: threeDigits },
  n: { name: "Events used" },
  mode: { name: "Most frequent magnitude" },
  mc90: { name: "Mc with a fit of 90 %" },
  r90: { name: "Fit from there up", unit: "%", as: threeDigits },
  mc95: { name: "Mc with a fit of 95 %" },
  r95: { name: "Fit from that up", unit: "%", as: threeDigits },
  max: { name: "Most in one bin" },
  maxStart: { name: "Its beginning, UTC" },
  perYear: { name: "Events per year", as: threeDigits },
  missing: { name: "Without a depth" },
  "fixed.count": { name: "Depths that were set" },
  "fixed.assigned": { name: "of these by an operator" },
  cells: { name: "Cells with events" },
  K: { name: "K", unit: "events · days^(p−1)", error: "sigmaK" },
  c: { name: "c", unit: "days", error: "sigmaC" },
  p: { name: "p", error: "sigmaP" },
  lnL: { name: "ln L", as: threeDigits },
  aic: { name: "AIC" },
  ks: { name: "Kolmogorov–Smirnov distance", as: threeDigits },
  ksP: { name: "Its probability", as: threeDigits },
  threshold: { name: "Threshold, log₁₀ η", as: threeDigits },
  logEtaMedian: { name: "Median of log₁₀ η", as: threeDigits },
  logEtaMean: { name: "Mean of log₁₀ η", as: threeDigits },
  ashmanD: { name: "Ashman's D", as: threeDigits },
  families: { name: "Families" },
  background: { name: "Background events" },
  main: { name: "Main events" },
  clusters: { name: "Clusters" },
  foreshocks: { name: "Foreshocks" },
  aftershocks: { name: "Aftershocks" },
  both: { name: "Foreshocks and aftershocks at once" },
  clustered: { name: "Events in clusters" },
  independent: { name: "Independent events" },
  largest: { name: "Events of the largest cluster" },
  total: { name: "Total moment", unit: "N·m", as: threeDigits },
  mw: { name: "Mw of the total", as: threeDigits },
  largestShare: { name: "Its part of the total", as: percent },
  energy: { name: "Energy", unit: "J", as: threeDigits },
  excluded: { name: "Left out by magnitude type" },
  mean: { name: "Mean", as: duration },
  median: { name: "Median", as: duration },
  cv: { name: "Coefficient of variation", as: threeDigits },
  zeros: { name: "At the same time" },
  "q.mean": { name: "Quality Q, mean", unit: "of 100", as: threeDigits },
  "q.documented": { name: "Documented part of Q", as: percent },
  "gap.p50": { name: "Median azimuthal gap", unit: "°", as: threeDigits },
  "gap.upTo180Share": { name: "Gap up to 180°", as: percent },
};

/** What analyses call alike and mean otherwise; null leaves it out. */
const OF_METHODS: Readonly<Record<string, Readonly<Record<string, Telling | null>>>> = {
  completeness: {
    b: { name: "b", error: "sigmaB" },
    mu: { name: "Half are detected at", as: threeDigits },
    sigma: { name: "Detection fails over", unit: "magnitude units", as: threeDigits },
    p: { name: "Probability", as: threeDigits },
    d: { name: "Distance from the law", as: threeDigits },
  },
  moment: { largest: { name: "Largest magnitude" }, n: { name: "Events" } },
  "inter-event": {
    n: { name: "Times between events" },
    min: { name: "Shortest", as: duration },
    max: { name: "Longest", as: duration },
  },
  depths: { n: { name: "With a depth" } },
  density: { n: null, max: { name: "Most in one cell" } },
};

/** The numbers of an estimate that can be told in a line each, in its order; lists are in the JSON. */
export function factsOf(
  method: string,
  estimate: object,
): readonly { readonly name: string; readonly text: string }[] {
  const members = membersOf(estimate);
  return Object.entries(members).flatMap(([key, value]) => {
    const own = OF_METHODS[method]?.[key];
    const telling = own === undefined ? COMMON[key] : own;
    if (!telling) return [];
    const text = textOf(value, telling, members);
    if (text === null) return [];
    return [{ name: telling.name, text: telling.unit ? `${text} ${telling.unit}` : text }];
  });
}

type Members = Readonly<Record<string, unknown>>;

/** The members by their names, those of members by both: "q.mean". */
function membersOf(estimate: object): Members {
  const all = Object.entries(estimate).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([part, of]) => [`${name}.${part}`, of] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(all);
}

function textOf(value: unknown, telling: Telling, members: Members): string | null {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d/.test(value) ? minute(value) : value;
  if (typeof value !== "number") return null;
  if (telling.error !== undefined) return withError(value, numberIn(members, telling.error));
  const sigma = telling.roundedBy && numberIn(members, telling.roundedBy);
  if (sigma) return roundedBy(sigma, value);
  if (telling.as) return telling.as(value);
  if (Number.isInteger(value)) return count(value);
  return significant(value).replace("-", MINUS);
}

function numberIn(members: Members, key: string): number | null {
  const value = members[key];
  return typeof value === "number" ? value : null;
}
