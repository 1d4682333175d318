import type { ComponentChildren } from "preact";
import { count } from "../text/format.ts";
import { Labelled } from "./field.tsx";

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
  return (
    <Labelled
      label={label}
      hasHiddenLabel={hasHiddenLabel}
      below={problem ?? hint}
      isWrong={!!problem}
    >
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={disabled}
          onChange={({ currentTarget }) => onValue(currentTarget.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
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
  const length = [...value.trim()].length;
  const room = `${min > 0 ? `${count(min)} to` : "At most"} ${count(max)} characters`;
  const now = length > 0 ? `, now ${count(length)}` : "";
  return (
    <Labelled
      label={label}
      below={`${problem ? `${problem}: ` : ""}${room}${now}`}
      isWrong={!!problem || length > max}
    >
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          required={required}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}
