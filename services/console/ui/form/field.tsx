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
  // The type of the attributes is a union over `type`.
  const input = { ...given, type } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Labelled label={label} unit={unit} below={problem ?? hint} isWrong={!!problem}>
      {(attributes) => (
        <input
          {...input}
          {...attributes}
          aria-label={spoken}
          data-shortcut={shortcut}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

type LabelledProps = {
  readonly label: string;
  readonly unit?: string | undefined;
  /** Where a table's head or a heading names it already; the label is still read out. */
  readonly hasHiddenLabel?: boolean | undefined;
  /** A hint, or what is wrong. */
  readonly below: ComponentChildren;
  readonly isWrong: boolean;
  /** Gets the attributes by which the control belongs to the words around it. */
  readonly children: (attributes: {
    readonly id: string;
    readonly "aria-invalid": "true" | undefined;
    readonly "aria-describedby": string | undefined;
  }) => ComponentChildren;
};

/** A control with its label above and words below. */
export function Labelled(props: LabelledProps) {
  const { label, unit, hasHiddenLabel, below, isWrong, children } = props;
  const id = useId();
  const belowId = `${id}-below`;
  return (
    <div class="field">
      <label for={id} class={hasHiddenLabel ? "visually-hidden" : undefined}>
        {label}
        {unit && <span class="muted"> {unit}</span>}
      </label>
      {children({
        id,
        "aria-invalid": isWrong ? "true" : undefined,
        "aria-describedby": below ? belowId : undefined,
      })}
      {below && (
        <p id={belowId} class={isWrong ? "problem" : "hint"}>
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
