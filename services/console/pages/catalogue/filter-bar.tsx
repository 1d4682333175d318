import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../ui/field.tsx";
import { type FilterField, FURTHER_FILTERS, MAIN_FILTERS } from "./filter-fields.ts";
import type { FilterName, FilterValues, WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

/** After this pause in typing the events are filtered. */
const PAUSE_MS = 250;

type FilterBarProps = { readonly state: WorkState; readonly change: Change };

/** The filters of the API by their names. */
export function FilterBar({ state, change }: FilterBarProps) {
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
  const field = (known: FilterField, n: number) => (
    <Field
      key={known.name}
      label={known.label}
      unit={known.unit ?? ""}
      value={typed.value[known.name] ?? ""}
      onValue={(value) => set(known.name, value)}
      problem={known.problemOf(typed.value[known.name])}
      {...(known.placeholder && { placeholder: known.placeholder })}
      {...(n === 0 && known.name === "minMagnitude" && { shortcut: "/" })}
      {...(known.isNumber && { inputMode: "decimal" as const })}
    />
  );
  const furtherSet = FURTHER_FILTERS.filter(({ name }) => typed.value[name]).length;
  return (
    <search class="filters">
      <div class="filter-fields">{MAIN_FILTERS.map(field)}</div>
      <details open={furtherSet > 0}>
        <summary>More filters{furtherSet > 0 && ` (${furtherSet})`}</summary>
        <div class="filter-fields">{FURTHER_FILTERS.map(field)}</div>
      </details>
    </search>
  );
}

/** Whether every filter can be understood. */
function isWhole(values: FilterValues): boolean {
  return [...MAIN_FILTERS, ...FURTHER_FILTERS].every(
    ({ name, problemOf }) => problemOf(values[name]) === undefined,
  );
}
