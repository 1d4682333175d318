import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import type { AnalysisQuery } from "../../api/analysis.ts";
import type { Catalogue } from "../../api/call.ts";
import { workStateOf } from "../../model/work-state.ts";
import { bound, Field, Select } from "../../ui/form/fields.tsx";
import { optionsOf } from "../../ui/form/form.tsx";
import type { Change } from "../../ui/use-work-state.ts";

/** What a part of the page is made of: a catalogue's events, and the page's address with its parameters. */
export type PartProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  readonly query: URLSearchParams;
  readonly set: SetParameters;
};

/** A parameter of an analysis, by the API's name. */
export type Parameter = {
  readonly name: string;
  readonly label: string;
  /** Without options it is a field. The first is the API's default, empty, or else is always sent. */
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  readonly unit?: string;
  readonly placeholder?: string;
  /** Whether it means anything beside the others' values; absent, always. */
  readonly isUsed?: (values: Readonly<Record<string, string>>) => boolean;
};

const MC_METHODS = optionsOf({
  "": "Maximum curvature",
  gft: "Goodness of fit",
  mbs: "b-value stability",
  emr: "Entire magnitude range",
  ks: "Kolmogorov–Smirnov",
  lilliefors: "Lilliefors",
});

const ESTIMATORS = optionsOf({
  "": "Tinti–Mulargia",
  utsu: "Utsu",
  aki: "Aki",
  "b-positive": "b-positive",
});

export const PARAMETERS = {
  mc: { name: "mc", label: "Mc, if it is known" },
  mcMethod: { name: "mcMethod", label: "Mc by", options: MC_METHODS, isUsed: ({ mc }) => !mc },
  method: { name: "method", label: "Method", options: MC_METHODS },
  estimator: { name: "estimator", label: "Estimator of b", options: ESTIMATORS },
  estimatorOfTwo: { name: "estimator", label: "Estimator of b", options: ESTIMATORS.slice(0, 2) },
  binWidth: { name: "binWidth", label: "Bin width", placeholder: "0.1" },
  correction: {
    name: "correction",
    label: "Added to Mc",
    placeholder: "0.2",
    isUsed: ({ mc, mcMethod, method }) => !(mc || mcMethod || method),
  },
  minEvents: { name: "minEvents", label: "Events that a fit needs", placeholder: "50" },
  per: {
    ...{ name: "per", label: "Periods of" },
    options: optionsOf({ events: "500 events or more", years: "5 years" }),
  },
  months: {
    ...{ name: "bin", label: "Count by" },
    options: optionsOf({ "": "Month", day: "Day", week: "Week", year: "Year" }),
  },
  years: {
    ...{ name: "bin", label: "Sum by" },
    options: optionsOf({ "": "Year", month: "Month", week: "Week", day: "Day" }),
  },
  types: {
    ...{ name: "types", label: "Magnitudes" },
    options: optionsOf({ "": "Mw, ML, M and untyped", all: "All, taken as Mw" }),
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
    ...{ name: "threshold", label: "Threshold", unit: "log₁₀ η" },
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

/** An answer's parameters as people read them, of those that matter to it: labels, values with their units. */
export function parameterFacts(
  values: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
): readonly { readonly name: string; readonly text: string }[] {
  const draws = DRAWING.has(values["method"]) || DRAWING.has(values["mcMethod"]);
  const isCurvature = (values["mcMethod"] ?? values["method"]) === "maxc";
  return Object.entries(values).flatMap(([name, value]) => {
    // What is a list of its own is seen as such.
    if (name === "series" || (name === "seed" && !draws)) return [];
    if (name === "correction" && !isCurvature) return [];
    if (value === null || typeof value === "object") return [];
    const known = [...parameters, ...FURTHER].find((one) => one.name === name);
    const option = (wanted: unknown) => known?.options?.find((one) => one.value === wanted);
    // The empty option is the API's default, which answers name.
    const chosen = option(value) ?? (DEFAULTS.has(String(value)) ? option("") : undefined);
    const label = known?.label.replace(/, if it is known$/, "") ?? name;
    const text = valueText(value as string | number | boolean);
    return [{ name: label, text: chosen?.text ?? [text, known?.unit].filter(Boolean).join(" ") }];
  });
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

type ParameterInputsProps = {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
  /** Choosing makes an entry of the history, typing none. */
  readonly set: SetParameters;
  readonly problemOf?: (name: string) => string | undefined;
  /** Before them. */
  readonly children?: ComponentChildren;
};

/** Fields and choices of those parameters that mean anything beside the others. */
export function ParameterInputs(props: ParameterInputsProps) {
  const { parameters, values, set, problemOf, children } = props;
  return (
    <div class="parameters">
      {children}
      {usedOf(parameters, values).map((parameter) => (
        <ParameterInput
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ""}
          problem={problemOf?.(parameter.name)}
          onValue={(value, how) => set({ [parameter.name]: value }, how)}
        />
      ))}
    </div>
  );
}

/** Parameters of the address, else their first options, of those that mean anything together. */
export function valuesIn(query: URLSearchParams, parameters: readonly Parameter[]): AnalysisQuery {
  const all = parameters.flatMap(({ name, options }) => {
    const value = query.get(name) || options?.[0]?.value;
    return value ? [[name, value] as const] : [];
  });
  const used = new Set(usedOf(parameters, Object.fromEntries(all)).map(({ name }) => name));
  return Object.fromEntries(all.filter(([name]) => used.has(name)));
}

function usedOf(parameters: readonly Parameter[], values: AnalysisQuery): readonly Parameter[] {
  return parameters.filter(({ isUsed }) => isUsed?.(values) ?? true);
}

type ParameterInputProps = {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onValue: (value: string, how: "push" | "replace") => void;
  readonly problem: string | undefined;
};

function ParameterInput({ parameter, value, onValue, problem }: ParameterInputProps) {
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
  if (options) {
    const onChosen = (chosen: string) => onValue(chosen, "push");
    return <Select label={label} value={value} options={options} onValue={onChosen} />;
  }
  return (
    <Field
      {...{ label, unit: unit ?? "", problem, ...bound(typed) }}
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
