import { count, MINUS, time } from "../../ui/format.ts";

type Fact = { readonly name: string; readonly text: string };

/** Members of estimates by their names in the field; those with an error are told with it. */
const NAMES: Readonly<Record<string, readonly [name: string, unit?: string, error?: string]>> = {
  mc: ["Mc"],
  b: ["b", "", "sigma"],
  bUnbiased: ["b, unbiased"],
  aAnnual: ["a, annual"],
  rate: ["Events a year from Mc up"],
  n: ["n"],
  mode: ["Most frequent magnitude"],
  mc90: ["Mc with a fit of 90 %"],
  mc95: ["Mc with a fit of 95 %"],
  mu: ["Half are detected at"],
  max: ["Most in one bin"],
  maxStart: ["Its beginning"],
  perYear: ["Events a year"],
  missing: ["Without a depth"],
  cells: ["Cells with events"],
  K: ["K", "events · days^(p−1)", "sigmaK"],
  c: ["c", "days", "sigmaC"],
  p: ["p", "", "sigmaP"],
  aic: ["AIC"],
  ks: ["Kolmogorov–Smirnov distance"],
  ksP: ["Its probability"],
  threshold: ["Threshold, log₁₀ η"],
  families: ["Families"],
  background: ["Background events"],
  main: ["Main events"],
  clusters: ["Clusters"],
  foreshocks: ["Foreshocks"],
  aftershocks: ["Aftershocks"],
  largest: ["Events of the largest cluster"],
  clustered: ["Events in clusters"],
  independent: ["Independent events"],
};

/** The numbers of an estimate that can be told in a line each; lists and parts are in the JSON. */
export function factsOf(estimate: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(NAMES).flatMap(([key, [name, unit = "", errorKey]]) => {
    // Of completeness, p is a probability.
    const value = estimate[key];
    const text = textOf(value);
    if (text === null) return [];
    const error = errorKey === undefined ? null : textOf(estimate[errorKey]);
    const label = key === "p" && !("K" in estimate) ? "Probability" : name;
    return [{ name: label, text: [text, error && `± ${error}`, unit].filter(Boolean).join(" ") }];
  });
}

function textOf(value: unknown): string | null {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string")
    return /^\d{4}-\d\d-\d\d/.test(value) ? time(value).slice(0, 16) : value;
  return null;
}

/** Whole numbers in full, others by four digits. */
function numberText(value: number): string {
  if (Number.isInteger(value)) return count(value);
  const text =
    Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
      ? value.toExponential(3)
      : String(Number(value.toPrecision(4)));
  return text.replaceAll("-", MINUS);
}
