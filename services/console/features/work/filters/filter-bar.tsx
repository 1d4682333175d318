import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { FILTER_NAMES, type FilterName } from "#contracts/query/filters.ts";
import type { FilterValues } from "../../../model/filters.ts";
import type { WorkState } from "../../../model/work-state.ts";
import { Field } from "../../../ui/form/field.tsx";
import { problemOf } from "../../../ui/form/use-submit.ts";
import { Late } from "../../../ui/late.tsx";
import type { Change } from "../../../ui/use-work-state.ts";
import {
  type FilterField,
  FURTHER_FILTERS,
  FURTHER_GROUPS,
  MAIN_FILTERS,
  problemsOf,
} from "./filter-fields.ts";
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
