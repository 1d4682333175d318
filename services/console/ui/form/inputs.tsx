import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { count } from "../text/format.ts";

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

type CheckboxProps = {
  readonly checked: boolean;
  readonly onChecked: (isChecked: boolean) => void;
  readonly disabled?: boolean;
  /** Takes effect at once. */
  readonly isSwitch?: boolean;
  /** What it says, beside it. */
  readonly children: ComponentChildren;
};

export function Checkbox({ checked, onChecked, disabled, isSwitch, children }: CheckboxProps) {
  return (
    <label class="inline">
      <input
        type="checkbox"
        role={isSwitch ? "switch" : undefined}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

type TextAreaProps = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly required?: boolean;
  readonly min?: number;
  readonly max: number;
  readonly rows?: number;
  /** What is wrong with the text. */
  readonly problem?: string | undefined;
};

/** A text of several lines, with how many characters it has of those it may have. */
export function TextArea(props: TextAreaProps) {
  const { label, value, onValue, required, min = 0, max, rows = 4, problem } = props;
  const id = useId();
  const length = [...value.trim()].length;
  const isTooLong = length > max;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        required={required}
        value={value}
        aria-invalid={problem || isTooLong ? "true" : undefined}
        aria-describedby={`${id}-below`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <p id={`${id}-below`} class={problem || isTooLong ? "problem" : "hint"}>
        {problem && `${problem}: `}
        {min > 0 ? `${count(min)} to ${count(max)} characters` : `At most ${count(max)} characters`}
        {length > 0 && `, now ${count(length)}`}
      </p>
    </div>
  );
}
