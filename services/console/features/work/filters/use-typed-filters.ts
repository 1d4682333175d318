import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FILTER_NAMES, type FilterName } from "#contracts/query/filters.ts";
import type { FilterValues } from "../../../model/filters.ts";
import type { WorkState } from "../../../model/work-state.ts";
import type { Change } from "../../../ui/use-work-state.ts";
import { FURTHER_FILTERS, problemsOf } from "./filter-fields.ts";
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
export function useTypedFilters(
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
