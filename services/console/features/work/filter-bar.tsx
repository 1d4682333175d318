import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { FILTER_NAMES, type FilterName, type FilterValues } from "../../model/filters.ts";
import type { WorkState } from "../../model/work-state.ts";
import { Field } from "../../ui/form/field.tsx";
import { problemOf } from "../../ui/form/use-submit.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { type FilterField, FURTHER_FILTERS, MAIN_FILTERS, problemsOf } from "./filter-fields.ts";
import { type TimeRange, withRange } from "./use-filters.ts";

/** After this pause in typing the events are filtered. */
const PAUSE_MS = 250;

type FilterBarProps = {
  readonly state: WorkState;
  /** A range of time that is dragged or played. */
  readonly moving: Signal<TimeRange | undefined>;
  readonly change: Change;
  /** Why the service did not give the events. */
  readonly error: unknown;
  /** What stands behind the filters. */
  readonly children?: ComponentChildren;
};

/** The filters of the API by their names. */
export function FilterBar({ state, moving, change, error, children }: FilterBarProps) {
  // What has been typed and not yet taken into the address.
  const typed = useSignal<Partial<Record<FilterName, string>>>({});
  const range = moving.value;
  const given = range === undefined ? state.filters : withRange(state.filters, range);
  const values: FilterValues = { ...given, ...typed.value };
  const known = useRef(state.filters);
  useEffect(() => {
    // A field that has changed elsewhere shows that; the others keep what is being typed.
    const changed = FILTER_NAMES.filter((name) => state.filters[name] !== known.current[name]);
    known.current = state.filters;
    if (changed.some((name) => name in typed.value)) typed.value = without(typed.value, changed);
  }, [JSON.stringify(state.filters)]);
  useEffect(() => {
    if (Object.keys(typed.value).length === 0 || !isWhole(values)) return;
    const timer = setTimeout(() => {
      const taken = typed.value;
      typed.value = {};
      change((now) => ({ filters: withoutEmpty({ ...now.filters, ...taken }) }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const set = (name: FilterName, value: string) => {
    typed.value = { ...typed.value, [name]: value };
  };
  const refused = (name: FilterName) => problemOf(error, name);
  const problemAt = (field: FilterField) => field.problemOf(values) ?? refused(field.name);
  const input = (known: FilterField, n: number) => (
    <FilterInput
      key={known.name}
      field={known}
      value={values[known.name] ?? ""}
      problem={problemAt(known)}
      onValue={(value) => set(known.name, value)}
      isFirst={n === 0 && known.name === "minMagnitude"}
    />
  );
  const furtherSet = FURTHER_FILTERS.filter(({ name }) => values[name]).length;
  const isOpen = useSignal(furtherSet > 0);
  const hasFurtherProblem = FURTHER_FILTERS.some((field) => problemAt(field) !== undefined);
  useEffect(() => {
    if (hasFurtherProblem) isOpen.value = true;
  }, [hasFurtherProblem]);
  return (
    <search class="filters">
      <div class="row filter-row">
        {MAIN_FILTERS.map(({ label, fields }) => (
          <fieldset key={label} class="filter-pair">
            <legend>{label}</legend>
            {fields.map(input)}
          </fieldset>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          More{furtherSet > 0 && ` (${furtherSet})`}…
        </button>
        {children}
      </div>
      <Problems texts={problemsOf(values, refused)} />
      {isOpen.value && (
        <div class="filter-fields">
          {FURTHER_FILTERS.map((known) => (
            <Field
              key={known.name}
              label={known.label}
              unit={known.unit ?? ""}
              value={values[known.name] ?? ""}
              onValue={(value) => set(known.name, value)}
              problem={problemAt(known)}
              {...(known.placeholder && { placeholder: known.placeholder })}
              {...(known.isNumber && { inputMode: "decimal" as const })}
            />
          ))}
        </div>
      )}
    </search>
  );
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
  readonly isFirst: boolean;
};

/** One end of a range. */
function FilterInput({ field, value, problem, onValue, isFirst }: FilterInputProps) {
  const { label, isNumber, placeholder } = field;
  return (
    <input
      class={isNumber ? "short" : "medium"}
      aria-label={label}
      aria-invalid={problem ? "true" : undefined}
      title={problem ?? label}
      placeholder={placeholder}
      inputMode={isNumber ? "decimal" : "text"}
      data-shortcut={isFirst ? "/" : undefined}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
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

function withoutEmpty(values: FilterValues): FilterValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
