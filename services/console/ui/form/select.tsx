import { useId } from "preact/hooks";

type SelectProps<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
  readonly disabled?: boolean;
  readonly hint?: string;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** Where a table's head or a heading names it already; the label is still read out. */
  readonly hasHiddenLabel?: boolean;
};

/** One of a few values, with its label. */
export function Select<T extends string>(props: SelectProps<T>) {
  const { label, value, options, onValue, disabled, hint, problem, hasHiddenLabel } = props;
  const id = useId();
  const below = problem ?? hint;
  return (
    <div class="field">
      <label for={id} class={hasHiddenLabel ? "visually-hidden" : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-invalid={problem ? "true" : undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onChange={({ currentTarget }) => onValue(currentTarget.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {below && (
        <p id={`${id}-below`} class={problem ? "problem" : "hint"}>
          {below}
        </p>
      )}
    </div>
  );
}
