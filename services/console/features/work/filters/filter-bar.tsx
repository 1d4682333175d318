import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { FilterName } from "../../../model/filters.ts";
import type { WorkState } from "../../../model/work-state.ts";
import { Field } from "../../../ui/form/field.tsx";
import { problemOf } from "../../../ui/form/use-submit.ts";
import type { Change } from "../../../ui/use-work-state.ts";
import { type FilterField, FURTHER_FILTERS, MAIN_FILTERS, problemsOf } from "./filter-fields.ts";
import type { Selection } from "./use-filters.ts";
import { useTypedFilters } from "./use-typed-filters.ts";

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
  const isOpen = useSignal(furtherSet > 0);
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
    <search class="filters">
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
          More{furtherSet > 0 && ` (${furtherSet})`}…
        </button>
        {children}
      </div>
      <Problems texts={problemsOf(values, refused)} />
      {isOpen.value && (
        <div class="filter-fields">
          {FURTHER_FILTERS.map((field) => (
            <FurtherFilter key={field.name} {...inputOf(field)} />
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
      placeholder={placeholder}
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
