import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
  faultOfWkt,
  type Parameter,
} from "#contracts/query/filters.ts";
import type { FilterValues, WorkState } from "../../../model/work-state.ts";
import { Field } from "../../../ui/form/field.tsx";
import { problemOf } from "../../../ui/form/submit.tsx";
import { Late } from "../../../ui/late.tsx";
import { sentence } from "../../../ui/text/format.ts";
import type { Change } from "../../../ui/use-work-state.ts";
import { timeOf } from "./local-filter.ts";
import { type Selection, withSelection } from "./use-filters.ts";

/** After this pause in typing the events are filtered. */
const PAUSE_MS = 250;

type TypedFilters = {
  /** As the fields show them. */
  readonly values: FilterValues;
  readonly set: (name: FilterName, value: string) => void;
};

/**
 * The filters of the address with what has been typed and is not yet taken into it.
 * @param selection while it is dragged or played
 */
function useTypedFilters(
  { filters }: WorkState,
  selection: Selection | undefined,
  change: Change,
): TypedFilters {
  const typed = useSignal<FilterValues>({});
  const seen = selection === undefined ? filters : withSelection(filters, selection);
  const values: FilterValues = { ...seen, ...typed.value };
  const before = useRef(filters);
  useEffect(() => {
    // A field that has changed elsewhere shows that; the others keep what is being typed.
    const changed = FILTER_NAMES.filter((name) => filters[name] !== before.current[name]);
    before.current = filters;
    if (changed.some((name) => name in typed.value)) typed.value = without(typed.value, changed);
  }, [JSON.stringify(filters)]);
  useEffect(() => {
    if (Object.keys(typed.value).length === 0 || !isWhole(values)) return;
    const timer = setTimeout(() => {
      const taken = typed.value;
      typed.value = {};
      change((now) => ({ filters: withSelection(now.filters, taken) }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const set = (name: FilterName, value: string) => {
    typed.value = { ...typed.value, [name]: value };
  };
  return { values, set };
}

/** Whether every filter can be understood. */
function isWhole(values: FilterValues): boolean {
  return (
    problemsOf(values).length === 0 &&
    FURTHER_FILTERS.every((field) => field.problemOf(values) === undefined)
  );
}

function without(values: FilterValues, names: readonly FilterName[]): FilterValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !names.includes(name as FilterName)),
  );
}

/** In windows narrower than this all filters are folded (work.css). */
const NARROW = 700;

/** No part of the first load. */
const regionChoice = async () => (await import("../../../ui/region-choice.tsx")).RegionChoice;

type FilterBarProps = {
  readonly state: WorkState;
  /** A selection that is dragged or played. */
  readonly moving: Signal<Selection | undefined>;
  readonly change: Change;
  /** Why the service did not give the events. */
  readonly error: unknown;
  /** What stands behind the filters. */
  readonly children?: ComponentChildren;
};

/** The filters of the API by their names. */
export function FilterBar({ state, moving, change, error, children }: FilterBarProps) {
  const { values, set } = useTypedFilters(state, moving.value, change);
  const refused = (name: FilterName) => problemOf(error, name);
  const problemAt = (field: FilterField) => field.problemOf(values) ?? refused(field.name);
  const furtherSet = FURTHER_FILTERS.filter(({ name }) => values[name]).length;
  const mainSet = Object.values(values).filter(Boolean).length - furtherSet;
  const isOpen = useSignal(furtherSet > 0 && innerWidth > NARROW);
  const hasFurtherProblem = FURTHER_FILTERS.some((field) => problemAt(field) !== undefined);
  useEffect(() => {
    if (hasFurtherProblem) isOpen.value = true;
  }, [hasFurtherProblem]);
  const inputOf = (field: FilterField) => ({
    field,
    value: values[field.name] ?? "",
    problem: problemAt(field),
    onValue: (value: string) => set(field.name, value),
  });
  return (
    <search class={isOpen.value ? "filters open" : "filters"}>
      <div class="row filter-row">
        {MAIN_FILTERS.map(({ label, fields }) => (
          <fieldset key={label} class="filter-pair">
            <legend>{label}</legend>
            {fields.map((field) => (
              <FilterInput key={field.name} {...inputOf(field)} />
            ))}
          </fieldset>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <span class="wide-only">More{told(furtherSet)}…</span>
          <span class="narrow-only">Filters{told(mainSet + furtherSet)}</span>
        </button>
        {children}
      </div>
      <Problems texts={problemsOf(values, refused)} />
      {isOpen.value && (
        <div class="panel further-filters">
          {FURTHER_GROUPS.map(({ label, fields }) => (
            <fieldset key={label}>
              <legend>{label}</legend>
              <div class="filter-fields">
                {fields.map((field) =>
                  field.name === "region" ? (
                    <Late
                      key={field.name}
                      load={regionChoice}
                      of={{
                        label: field.label,
                        value: values.region ?? "",
                        problem: problemAt(field),
                        onValue: (region: string) => set("region", region),
                      }}
                    />
                  ) : (
                    <FurtherFilter key={field.name} {...inputOf(field)} />
                  ),
                )}
              </div>
            </fieldset>
          ))}
        </div>
      )}
    </search>
  );
}

/** How many filters of a kind are set; nothing for none. */
function told(number: number): string {
  return number > 0 ? ` (${number})` : "";
}

/** What is wrong with the fields in the row, which have no room for it. */
function Problems({ texts }: { readonly texts: readonly string[] }) {
  return texts.length > 0 ? (
    <p class="problem" role="alert">
      {texts.join(". ")}
    </p>
  ) : null;
}

type FilterInputProps = {
  readonly field: FilterField;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onValue: (value: string) => void;
};

/** One end of a range. */
function FilterInput({ field, value, problem, onValue }: FilterInputProps) {
  const { name, label, isNumber, placeholder } = field;
  return (
    <input
      class={isNumber ? "short" : "medium"}
      aria-label={label}
      aria-invalid={problem ? "true" : undefined}
      title={problem ?? label}
      placeholder={placeholder ?? (name.startsWith("min") ? "min" : "max")}
      inputMode={isNumber ? "decimal" : "text"}
      data-shortcut={name === "minMagnitude" ? "/" : undefined}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

/** A filter with its name over it. */
function FurtherFilter({ field, value, problem, onValue }: FilterInputProps) {
  const { label, unit, placeholder, isNumber } = field;
  return (
    <Field
      label={label}
      unit={unit ?? ""}
      value={value}
      onValue={onValue}
      problem={problem}
      {...(placeholder && { placeholder })}
      {...(isNumber && { inputMode: "decimal" as const })}
    />
  );
}

type FieldKind = {
  readonly label: string;
  readonly unit?: string;
  readonly bounds?: readonly [least: number, most: number];
  /** The filter at the end of a range that begins with this one. */
  readonly upTo?: FilterName;
  /** Of something else than a number: what stands in its empty field. */
  readonly hint?: string;
  readonly isTime?: true;
  /** What is wrong with a text that is neither a number nor a time. */
  readonly problemOf?: (text: string) => string | undefined;
};

const LATITUDE = { unit: "°", bounds: [-90, 90] } as const;
const LONGITUDE = { unit: "°", bounds: [-180, 180] } as const;
const RADIUS = { unit: "km", bounds: [0, 20_020] } as const;
const TIME = { hint: "YYYY-MM-DD", isTime: true } as const;

const KINDS: Readonly<Partial<Record<FilterName, FieldKind>>> = {
  minMagnitude: { label: "Magnitude from" },
  maxMagnitude: { label: "Magnitude to" },
  minDepth: { label: "Depth from, km" },
  maxDepth: { label: "Depth to, km" },
  startTime: { label: "Time from, UTC", ...TIME },
  endTime: { label: "Time to, UTC", ...TIME },
  minLatitude: { label: "Latitude from", ...LATITUDE, upTo: "maxLatitude" },
  maxLatitude: { label: "to", ...LATITUDE },
  minLongitude: { label: "Longitude from", ...LONGITUDE },
  maxLongitude: { label: "to", ...LONGITUDE },
  latitude: { label: "Circle: latitude", ...LATITUDE },
  longitude: { label: "longitude", ...LONGITUDE },
  minRadiusKm: { label: "Radius from", ...RADIUS, upTo: "maxRadiusKm" },
  maxRadiusKm: { label: "to", ...RADIUS },
  eventType: { label: "Event type", hint: "e.g. earthquake" },
  magnitudeType: { label: "Magnitude type", hint: "e.g. Mw, ML" },
  evaluationStatus: { label: "Evaluation status", hint: "e.g. reviewed" },
  evaluationMode: { label: "Evaluation mode", hint: "e.g. manual" },
  maxAzimuthalGap: { label: "Azimuthal gap up to", unit: "°", bounds: [0, 360] },
  minUsedStationCount: { label: "Stations from" },
  minUsedPhaseCount: { label: "Phases from" },
  maxStandardError: { label: "RMS of residuals up to", unit: "s" },
  maxMagnitudeUncertainty: { label: "Magnitude uncertainty up to" },
  region: { label: "Saved region", hint: "" },
  polygon: { label: "Polygon", unit: "WKT", hint: "", problemOf: polygonProblem },
  has: { label: "With", hint: "e.g. picks" },
  minOrigins: { label: "Origins from" },
  minMagnitudes: { label: "Magnitudes from" },
};

type FilterField = {
  readonly name: FilterName;
  readonly label: string;
  readonly unit?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly isNumber: boolean;
  /** What is wrong with its value; nothing with an empty one. */
  readonly problemOf: (values: FilterValues) => string | undefined;
};

/** A filter that is not told here is called as the API calls it. */
function kindOf(name: FilterName): FieldKind {
  const told = KINDS[name];
  if (told !== undefined) return told;
  const { kind, description }: Parameter = FILTER_PARAMETERS[name];
  const isNumber = kind === "number" || kind === "integer";
  return { label: name, ...(!isNumber && { hint: description }) };
}

function fieldOf(name: FilterName): FilterField {
  const kind = kindOf(name);
  const { label, unit, hint, isTime, upTo } = kind;
  const problemOf = (values: FilterValues) => {
    const text = values[name];
    if (!text) return undefined;
    if (isTime) return timeProblem(text);
    if (hint !== undefined) return kind.problemOf?.(text);
    const end = upTo === undefined ? undefined : values[upTo];
    const isAbove = end ? Number(text) > Number(end) : false;
    return numberProblem(text, kind) ?? (isAbove ? "Above the end of the range" : undefined);
  };
  return { name, label, unit, placeholder: hint, isNumber: hint === undefined, problemOf };
}

function numberProblem(text: string, { bounds }: FieldKind): string | undefined {
  const value = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) return "A number";
  const isOutside = bounds && (value < bounds[0] || value > bounds[1]);
  return isOutside ? `From ${bounds[0]} to ${bounds[1]}` : undefined;
}

function timeProblem(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(timeOf(text))
    ? undefined
    : "A time as 2016-11-13 or 2016-11-13T11:02";
}

function polygonProblem(text: string): string | undefined {
  const fault = faultOfWkt(text);
  return fault === null ? undefined : sentence(fault);
}

/** Filters that belong together. */
type FilterGroup = { readonly label: string; readonly fields: readonly FilterField[] };

const MAIN_FILTERS: readonly FilterGroup[] = [
  { label: "Magnitude", fields: [fieldOf("minMagnitude"), fieldOf("maxMagnitude")] },
  { label: "Depth, km", fields: [fieldOf("minDepth"), fieldOf("maxDepth")] },
  { label: "Time, UTC", fields: [fieldOf("startTime"), fieldOf("endTime")] },
];

const NAMED_GROUPS: readonly FilterGroup[] = [
  groupOf("Area", [
    "minLatitude",
    "maxLatitude",
    "minLongitude",
    "maxLongitude",
    "region",
    "polygon",
  ]),
  groupOf("Around a place", ["latitude", "longitude", "minRadiusKm", "maxRadiusKm"]),
  groupOf("Kind", ["eventType", "magnitudeType", "evaluationStatus", "evaluationMode", "has"]),
  groupOf("Quality", [
    "maxAzimuthalGap",
    "minUsedStationCount",
    "minUsedPhaseCount",
    "maxStandardError",
    "maxMagnitudeUncertainty",
    "minOrigins",
    "minMagnitudes",
  ]),
];

const named = [...MAIN_FILTERS, ...NAMED_GROUPS].flatMap(({ fields }) => fields);
const others = FILTER_NAMES.filter((name) => !named.some((field) => field.name === name));

const FURTHER_GROUPS: readonly FilterGroup[] =
  others.length === 0 ? NAMED_GROUPS : [...NAMED_GROUPS, groupOf("Other", others)];

const FURTHER_FILTERS: readonly FilterField[] = FURTHER_GROUPS.flatMap(({ fields }) => fields);

function groupOf(label: string, names: readonly FilterName[]): FilterGroup {
  return { label, fields: names.map(fieldOf) };
}

/**
 * What is wrong with the main filters, a sentence each.
 * @param refused what the service said of a filter
 */
function problemsOf(
  values: FilterValues,
  refused: (name: FilterName) => string | undefined = () => undefined,
): readonly string[] {
  return MAIN_FILTERS.flatMap(({ label, fields }) => {
    const problems = fields.flatMap((field) => {
      const problem = field.problemOf(values) ?? refused(field.name);
      return problem ? [`${field.label}: ${problem}`] : [];
    });
    if (problems.length > 0) return problems;
    const [from = Number.NaN, to = Number.NaN] = fields.map(({ name, isNumber }) => {
      const text = values[name];
      return text ? (isNumber ? Number(text) : timeOf(text)) : Number.NaN;
    });
    return from > to ? [`${label}: the first is above the second`] : [];
  });
}
