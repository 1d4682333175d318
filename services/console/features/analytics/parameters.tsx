import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import { workStateOf } from "../../model/work-state.ts";
import { bound, Field, Select } from "../../ui/form/fields.tsx";
import type { Change } from "../../ui/use-work-state.ts";

type Option = { readonly value: string; readonly text: string };

/** A parameter of an analysis, by the API's name. */
export type Parameter = {
  readonly name: string;
  readonly label: string;
  /** Without options it is a field. The first is the API's default, empty, or else is always sent. */
  readonly options?: readonly Option[];
  readonly unit?: string;
  readonly placeholder?: string;
  /** Whether it means anything beside the others' values; absent, always. */
  readonly isUsed?: (values: Readonly<Record<string, string>>) => boolean;
};

const MC_METHODS: readonly Option[] = [
  { value: "", text: "Maximum curvature" },
  { value: "gft", text: "Goodness of fit" },
  { value: "mbs", text: "b-value stability" },
  { value: "emr", text: "Entire magnitude range" },
  { value: "ks", text: "Kolmogorov–Smirnov" },
  { value: "lilliefors", text: "Lilliefors" },
];

const ESTIMATORS: readonly Option[] = [
  { value: "", text: "Tinti–Mulargia" },
  { value: "utsu", text: "Utsu" },
  { value: "aki", text: "Aki" },
  { value: "b-positive", text: "b-positive" },
];

const CALENDAR = {
  day: { value: "day", text: "Day" },
  week: { value: "week", text: "Week" },
  month: { value: "month", text: "Month" },
  year: { value: "year", text: "Year" },
} as const;

export const PARAMETERS = {
  mc: { name: "mc", label: "Mc, if it is known" },
  mcMethod: {
    name: "mcMethod",
    label: "Mc by",
    options: MC_METHODS,
    isUsed: ({ mc }) => !mc,
  },
  method: { name: "method", label: "Method", options: MC_METHODS },
  estimator: { name: "estimator", label: "Estimator of b", options: ESTIMATORS },
  estimatorOfTwo: { name: "estimator", label: "Estimator of b", options: ESTIMATORS.slice(0, 2) },
  binWidth: {
    name: "binWidth",
    label: "Bin width",
    placeholder: "0.1",
  },
  correction: {
    name: "correction",
    label: "Added to Mc",
    placeholder: "0.2",
    isUsed: ({ mc, mcMethod, method }) => !(mc || mcMethod || method),
  },
  minEvents: { name: "minEvents", label: "Events that a fit needs", placeholder: "50" },
  per: {
    name: "per",
    label: "Periods of",
    options: [
      { value: "events", text: "500 events or more" },
      { value: "years", text: "5 years" },
    ],
  },
  months: {
    name: "bin",
    label: "Count by",
    options: [{ value: "", text: "Month" }, CALENDAR.day, CALENDAR.week, CALENDAR.year],
  },
  years: {
    name: "bin",
    label: "Sum by",
    options: [{ value: "", text: "Year" }, CALENDAR.month, CALENDAR.week, CALENDAR.day],
  },
  types: {
    name: "types",
    label: "Magnitudes",
    options: [
      { value: "", text: "Mw, ML, M and untyped" },
      { value: "all", text: "All, taken as Mw" },
    ],
  },
  decades: { name: "bin", label: "Bin width", unit: "decades", placeholder: "0.25" },
  depths: { name: "bin", label: "Bin height", unit: "km", placeholder: "5" },
  cell: { name: "cell", label: "Cell size", unit: "°", placeholder: "0.1" },
  mainshock: { name: "mainshock", label: "Main shock: id of an event, or a time" },
  radiusKm: { name: "radiusKm", label: "Around it", unit: "km" },
  end: { name: "end", label: "Until", unit: "days after it" },
  df: { name: "df", label: "Fractal dimension", placeholder: "1.6" },
  b: { name: "b", label: "b", placeholder: "1" },
  threshold: {
    name: "threshold",
    label: "Threshold",
    unit: "log₁₀ η",
    placeholder: "of the distribution",
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Parameters that answers tell and no field asks for, or that analyses name alike. */
const FURTHER: readonly Parameter[] = [
  { name: "windows", label: "Periods, at most" },
  { name: "seed", label: "Seed of what is drawn" },
  { name: "start", label: "From", unit: "days after it" },
  { name: "mainTime", label: "Time of the main shock, UTC" },
  PARAMETERS.method,
  PARAMETERS.correction,
  PARAMETERS.minEvents,
  PARAMETERS.binWidth,
  PARAMETERS.mcMethod,
  PARAMETERS.estimator,
];

/** Methods that draw at random; to others the seed means nothing. */
const DRAWING: ReadonlySet<unknown> = new Set(["ks", "lilliefors", "all"]);

/** An answer's parameters as people read them, of those that matter to it. */
export function parameterTexts(
  values: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
): readonly ParameterText[] {
  const draws = DRAWING.has(values["method"]) || DRAWING.has(values["mcMethod"]);
  const isCurvature = (values["mcMethod"] ?? values["method"]) === "maxc";
  return Object.entries(values).flatMap(([name, value]) => {
    // What is a list of its own is seen as such.
    if (name === "series" || (name === "seed" && !draws)) return [];
    if (name === "correction" && !isCurvature) return [];
    if (value === null || typeof value === "object") return [];
    return [parameterText(name, value as string | number | boolean, parameters)];
  });
}

type ParameterText = { readonly label: string; readonly text: string };

/** A parameter of an answer as people read it: its label, its value with its unit. */
function parameterText(
  name: string,
  value: string | number | boolean,
  parameters: readonly Parameter[],
): ParameterText {
  const known = [...parameters, ...FURTHER].find((one) => one.name === name);
  // The empty option is the API's default, which answers name.
  const chosen =
    known?.options?.find((option) => option.value === value) ??
    (DEFAULTS.has(String(value))
      ? known?.options?.find((option) => option.value === "")
      : undefined);
  const text = chosen?.text ?? valueText(value);
  return {
    label: known?.label.replace(/, if it is known$/, "") ?? name,
    text: [text, chosen ? "" : (known?.unit ?? "")].filter(Boolean).join(" "),
  };
}

const DEFAULTS = new Set(["maxc", "tinti-mulargia", "month", "year", "gk-fit"]);

function valueText(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value))
    return value.slice(0, 19).replace("T", " ");
  return String(typeof value === "number" ? Number(value.toPrecision(6)) : value).replace(
    /^-/,
    "\u2212",
  );
}

/** After this pause in typing the analysis is asked for. */
const PAUSE_MS = 400;

type ParameterInputProps = {
  readonly parameter: Parameter;
  readonly value: string;
  /** Choosing makes an entry of the history, typing none. */
  readonly onValue: (value: string, how: "push" | "replace") => void;
  readonly problem?: string | undefined;
};

export function ParameterInput({ parameter, value, onValue, problem }: ParameterInputProps) {
  const { label, options, unit, placeholder } = parameter;
  const typed = useSignal(value);
  // The page is drawn again while the pause runs: what is told is told by its latest state.
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => {
    typed.value = value;
  }, [value]);
  useEffect(() => {
    if (typed.value === value) return;
    const timer = setTimeout(() => latest.current(typed.value, "replace"), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  if (options)
    return (
      <Select
        label={label}
        value={value}
        options={options}
        onValue={(chosen) => onValue(chosen, "push")}
      />
    );
  return (
    <Field
      label={label}
      unit={unit ?? ""}
      {...bound(typed)}
      problem={problem}
      {...(placeholder && { placeholder })}
    />
  );
}

/** Sets parameters of the page's address; empty ones are taken out of it. */
export type SetParameters = (
  values: Readonly<Record<string, string>>,
  how: "push" | "replace",
) => void;

export function useSetParameters(): SetParameters {
  const [path, navigate] = useLocation();
  return (values, how) => {
    // From the address itself: two changes may come before the page is drawn again.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    navigate(`${path}?${next}`, { replace: how === "replace" });
  };
}

/** Changes filters; what else the address has stays. */
export function filterChange(set: SetParameters): Change {
  return (changes, how = "push") => {
    const now = workStateOf(location.search);
    const { filters = {} } = typeof changes === "function" ? changes(now) : changes;
    set(Object.fromEntries(FILTER_NAMES.map((name) => [name, filters[name] ?? ""])), how);
  };
}
