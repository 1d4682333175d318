import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  readonly label: string;
  /** What is read out instead, where what stands beside it says the rest: "±". */
  readonly spoken?: string;
  readonly type?: "text" | "email" | "password" | "number" | "search";
  readonly name?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly inputMode?: "decimal" | "numeric";
  /** Of numbers; "any" takes fractions. */
  readonly step?: "any";
  readonly min?: number;
  readonly max?: number;
  /** A key that brings the focus here (shell/shortcuts.ts). */
  readonly shortcut?: string;
  readonly unit?: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
};

/** A text field with its label, its unit, and below it what is wrong. */
export function Field(props: FieldProps) {
  const { label, spoken, unit, hint, problem, onValue, shortcut, type = "text", ...given } = props;
  const id = useId();
  const below = problem ?? hint;
  // The type of the attributes is a union over `type`.
  const input = { ...given, type } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {unit && <span class="muted"> {unit}</span>}
      </label>
      <input
        {...input}
        id={id}
        aria-label={spoken}
        data-shortcut={shortcut}
        aria-invalid={problem ? "true" : undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {below && (
        <p id={`${id}-below`} class={problem ? "problem" : "hint"}>
          {below}
        </p>
      )}
    </div>
  );
}

/** A field's value and what its change does, for what a signal holds. */
export function bound<T>(signal: Signal<T>) {
  return {
    value: signal.value,
    onValue: (value: T): void => {
      signal.value = value;
    },
  };
}
