import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Field } from "../../ui/field.tsx";
import { type FilterField, FURTHER_FILTERS, MAIN_FILTERS } from "./filter-fields.ts";
import type { FilterName, FilterValues, WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

/** After this pause in typing the events are filtered. */
const PAUSE_MS = 250;

type FilterBarProps = {
  readonly state: WorkState;
  readonly change: Change;
  /** What stands behind the filters. */
  readonly children?: ComponentChildren;
};

/** The filters of the API by their names. */
export function FilterBar({ state, change, children }: FilterBarProps) {
  const typed = useSignal<FilterValues>(state.filters);
  const key = JSON.stringify(state.filters);
  useEffect(() => {
    typed.value = state.filters;
  }, [key]);
  useEffect(() => {
    if (JSON.stringify(typed.value) === key || !isWhole(typed.value)) return;
    const timer = setTimeout(() => change({ filters: typed.value }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const set = (name: FilterName, value: string) => {
    const { [name]: _old, ...others } = typed.value;
    typed.value = value === "" ? others : { ...others, [name]: value };
  };
  const input = (known: FilterField, n: number) => (
    <FilterInput
      key={known.name}
      field={known}
      value={typed.value[known.name] ?? ""}
      onValue={(value) => set(known.name, value)}
      isFirst={n === 0 && known.name === "minMagnitude"}
    />
  );
  const furtherSet = FURTHER_FILTERS.filter(({ name }) => typed.value[name]).length;
  const isOpen = useSignal(furtherSet > 0);
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
      {isOpen.value && (
        <div class="filter-fields">
          {FURTHER_FILTERS.map((known) => (
            <Field
              key={known.name}
              label={known.label}
              unit={known.unit ?? ""}
              value={typed.value[known.name] ?? ""}
              onValue={(value) => set(known.name, value)}
              problem={known.problemOf(typed.value[known.name])}
              {...(known.placeholder && { placeholder: known.placeholder })}
              {...(known.isNumber && { inputMode: "decimal" as const })}
            />
          ))}
        </div>
      )}
    </search>
  );
}

type FilterInputProps = {
  readonly field: FilterField;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly isFirst: boolean;
};

/** One end of a range. */
function FilterInput({ field, value, onValue, isFirst }: FilterInputProps) {
  const { label, isNumber, placeholder, problemOf } = field;
  const problem = problemOf(value);
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
  return [...MAIN_FILTERS.flatMap(({ fields }) => fields), ...FURTHER_FILTERS].every(
    ({ name, problemOf }) => problemOf(values[name]) === undefined,
  );
}
