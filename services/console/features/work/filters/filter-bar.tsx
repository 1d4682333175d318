import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
  type Parameter,
} from "#contracts/query/filters.ts";
import type { FilterValues, WorkState } from "../../../model/work-state.ts";
import { Field } from "../../../ui/form/fields.tsx";
import { problemOf as refusalOf } from "../../../ui/form/submit.tsx";
import { Late } from "../../../ui/late.tsx";
import { sentence } from "../../../ui/text/format.ts";
import type { Change } from "../../../ui/use-work-state.ts";
import { type Selection, timeOf, withoutNames, withSelection } from "./filters.ts";

/** After this pause in typing the events are filtered. */
const PAUSE_MS = 250;

/** In windows narrower than this all filters are folded (work.css). */
const NARROW = 700;

/** No part of the first load. */
const regionChoice = async () => (await import("../../../ui/saved-regions.tsx")).RegionChoice;

type FilterBarProps = {
  readonly state: WorkState;
  /** A selection that is dragged or played. */
  readonly moving: Signal<Selection | undefined>;
  readonly change: Change;
  /** Why the service did not give the events. */
  readonly error: unknown;
  readonly children?: ComponentChildren;
};

export function FilterBar({ state, moving, change, error, children }: FilterBarProps) {
  const { values, set } = useTypedFilters(state, moving.value, change);
  const problemAt = (name: FilterName) => problemOf(name, values) ?? refusalOf(error, name);
  const furtherSet = FURTHER.filter((name) => values[name]).length;
  const allSet = Object.values(values).filter(Boolean).length;
  const isOpen = useSignal(furtherSet > 0 && innerWidth > NARROW);
  const hasFurtherProblem = FURTHER.some((name) => problemAt(name) !== undefined);
  useEffect(() => {
    if (hasFurtherProblem) isOpen.value = true;
  }, [hasFurtherProblem]);
  const mainProblems = MAIN_GROUPS.flatMap(([group, names]) =>
    groupProblems(group, names, values, problemAt),
  );
  return (
    <search class={isOpen.value ? "filters open" : "filters"}>
      <div class="row filter-row">
        {MAIN_GROUPS.map(([group, names]) => (
          <fieldset key={group} class="filter-pair">
            <legend>{group}</legend>
            {names.map((name) => {
              const { label, hint } = FIELDS[name];
              const problem = problemAt(name);
              return (
                <input
                  key={name}
                  class={isNumber(name) ? "short" : "medium"}
                  aria-label={label}
                  aria-invalid={problem ? "true" : undefined}
                  title={problem ?? label}
                  placeholder={hint ?? (name.startsWith("min") ? "min" : "max")}
                  inputMode={isNumber(name) ? "decimal" : "text"}
                  data-shortcut={name === "minMagnitude" ? "/" : undefined}
                  value={values[name] ?? ""}
                  onInput={({ currentTarget }) => set(name, currentTarget.value)}
                />
              );
            })}
          </fieldset>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <span class="wide-only">More{told(furtherSet)}…</span>
          <span class="narrow-only">Filters{told(allSet)}</span>
        </button>
        {children}
      </div>
      {/* The fields in the row have no room for what is wrong with them. */}
      {mainProblems.length > 0 && (
        <p class="problem" role="alert">
          {mainProblems.join(". ")}
        </p>
      )}
      {isOpen.value && (
        <div class="panel further-filters">
          {FURTHER_GROUPS.map(([group, names]) => (
            <fieldset key={group}>
              <legend>{group}</legend>
              <div class="filter-fields">
                {names.map((name) => {
                  const { label, unit = "", hint } = FIELDS[name];
                  const field = {
                    label,
                    value: values[name] ?? "",
                    problem: problemAt(name),
                    onValue: (value: string) => set(name, value),
                  };
                  return name === "region" ? (
                    <Late key={name} load={regionChoice} of={field} />
                  ) : (
                    <Field
                      key={name}
                      {...field}
                      unit={unit}
                      {...(hint && { placeholder: hint })}
                      {...(isNumber(name) && { inputMode: "decimal" as const })}
                    />
                  );
                })}
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

/**
 * The filters of the address with what has been typed and is not yet taken into it.
 * @param selection while it is dragged or played
 */
function useTypedFilters({ filters }: WorkState, selection: Selection | undefined, change: Change) {
  const typed = useSignal<FilterValues>({});
  const seen = selection === undefined ? filters : withSelection(filters, selection);
  const values: FilterValues = { ...seen, ...typed.value };
  const before = useRef(filters);
  useEffect(() => {
    // A field that has changed elsewhere shows that; the others keep what is being typed.
    const changed = FILTER_NAMES.filter((name) => filters[name] !== before.current[name]);
    before.current = filters;
    if (changed.some((name) => name in typed.value)) {
      typed.value = withoutNames(typed.value, changed);
    }
  }, [JSON.stringify(filters)]);
  useEffect(() => {
    // Only filters that can be understood are taken.
    const isWhole =
      FILTER_NAMES.every((name) => problemOf(name, values) === undefined) &&
      MAIN_GROUPS.every(([group, names]) => groupProblems(group, names, values).length === 0);
    if (Object.keys(typed.value).length === 0 || !isWhole) return;
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

type FilterField = {
  readonly group: string;
  readonly label: string;
  readonly unit?: string;
  /** What stands in its empty field. */
  readonly hint?: string;
  /** The filter at the end of a range that begins with this one. */
  readonly upTo?: FilterName;
};

const TIME = { group: "Time, UTC", hint: "YYYY-MM-DD" } as const;
const AREA = { group: "Area" } as const;
const SIDE = { ...AREA, unit: "°" } as const;
const AROUND = { group: "Around a place" } as const;
const KIND = { group: "Kind" } as const;
const QUALITY = { group: "Quality" } as const;

/** In the order in which they stand. */
const FIELDS: Readonly<Record<FilterName, FilterField>> = {
  minMagnitude: { group: "Magnitude", label: "Magnitude from" },
  maxMagnitude: { group: "Magnitude", label: "Magnitude to" },
  minDepth: { group: "Depth, km", label: "Depth from, km" },
  maxDepth: { group: "Depth, km", label: "Depth to, km" },
  startTime: { ...TIME, label: "Time from, UTC" },
  endTime: { ...TIME, label: "Time to, UTC" },
  minLatitude: { ...SIDE, label: "Latitude from", upTo: "maxLatitude" },
  maxLatitude: { ...SIDE, label: "to" },
  minLongitude: { ...SIDE, label: "Longitude from" },
  maxLongitude: { ...SIDE, label: "to" },
  region: { ...AREA, label: "Saved region" },
  polygon: { ...AREA, label: "Polygon", unit: "WKT" },
  latitude: { ...AROUND, label: "Circle: latitude", unit: "°" },
  longitude: { ...AROUND, label: "longitude", unit: "°" },
  minRadiusKm: { ...AROUND, label: "Radius from", unit: "km", upTo: "maxRadiusKm" },
  maxRadiusKm: { ...AROUND, label: "to", unit: "km" },
  eventType: { ...KIND, label: "Event type", hint: "e.g. earthquake" },
  magnitudeType: { ...KIND, label: "Magnitude type", hint: "e.g. Mw, ML" },
  evaluationStatus: { ...KIND, label: "Evaluation status", hint: "e.g. reviewed" },
  evaluationMode: { ...KIND, label: "Evaluation mode", hint: "e.g. manual" },
  has: { ...KIND, label: "With", hint: "e.g. picks" },
  maxAzimuthalGap: { ...QUALITY, label: "Azimuthal gap up to", unit: "°" },
  minUsedStationCount: { ...QUALITY, label: "Stations from" },
  minUsedPhaseCount: { ...QUALITY, label: "Phases from" },
  maxStandardError: { ...QUALITY, label: "RMS of residuals up to", unit: "s" },
  maxMagnitudeUncertainty: { ...QUALITY, label: "Magnitude uncertainty up to" },
  minOrigins: { ...QUALITY, label: "Origins from" },
  minMagnitudes: { ...QUALITY, label: "Magnitudes from" },
};

const GROUPS = [...Map.groupBy(Object.keys(FIELDS) as FilterName[], (name) => FIELDS[name].group)];
/** Those of the row; the others are folded away. */
const MAIN_GROUPS = GROUPS.slice(0, 3);
const FURTHER_GROUPS = GROUPS.slice(3);
const FURTHER = FURTHER_GROUPS.flatMap(([, names]) => names);

function isNumber(name: FilterName): boolean {
  return ["number", "integer"].includes(FILTER_PARAMETERS[name].kind);
}

/** What is wrong with a filter's value; nothing with an empty one. */
function problemOf(name: FilterName, values: FilterValues): string | undefined {
  const text = values[name];
  if (!text) return undefined;
  const parameter: Parameter = FILTER_PARAMETERS[name];
  if (parameter.kind === "time") {
    return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(timeOf(text))
      ? undefined
      : "A time as 2016-11-13 or 2016-11-13T11:02";
  }
  if (parameter.kind === "text") {
    const fault = parameter.faultOf(text);
    return fault === null ? undefined : sentence(fault);
  }
  if (!("bounds" in parameter)) return undefined;
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim())) return "A number";
  const { min, max } = parameter.bounds;
  const value = Number(text);
  if (min !== undefined && max !== undefined && (value < min || value > max)) {
    return `From ${min} to ${max}`;
  }
  const { upTo } = FIELDS[name];
  const end = upTo && values[upTo];
  return end && value > Number(end) ? "Above the end of the range" : undefined;
}

/** What is wrong with the two ends of a range, a sentence each. */
function groupProblems(
  group: string,
  names: readonly FilterName[],
  values: FilterValues,
  problemAt = (name: FilterName) => problemOf(name, values),
): readonly string[] {
  const problems = names.flatMap((name) => {
    const problem = problemAt(name);
    return problem ? [`${FIELDS[name].label}: ${problem}`] : [];
  });
  if (problems.length > 0) return problems;
  const [from = Number.NaN, to = Number.NaN] = names.map((name) => {
    const text = values[name];
    return text ? (isNumber(name) ? Number(text) : timeOf(text)) : Number.NaN;
  });
  return from > to ? [`${group}: the first is above the second`] : [];
}
