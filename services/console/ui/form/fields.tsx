import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { count } from "../text/format.ts";

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

type TypedFieldsProps<Name extends string> = {
  readonly fields: readonly (Omit<FieldProps, "value" | "onValue" | "problem"> & {
    readonly name: Name;
  })[];
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly set: (change: Partial<Record<Name, string>>) => void;
  readonly problemOf: (name: Name) => string | undefined;
};

/** Text fields by their names in what is typed. */
export function TypedFields<Name extends string>(props: TypedFieldsProps<Name>) {
  const { fields, values, set, problemOf } = props;
  return fields.map(({ name, ...field }) => (
    <Field
      key={name}
      {...field}
      value={values[name] ?? ""}
      problem={problemOf(name)}
      onValue={(value) => set({ [name]: value } as Partial<Record<Name, string>>)}
    />
  ));
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

type CheckListProps = {
  readonly options: readonly { readonly id: string; readonly text: ComponentChildren }[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: string[]) => void;
};

/** A checkbox for each of some; what is chosen last stands last. */
export function CheckList({ options, chosen, onChosen }: CheckListProps) {
  return options.map(({ id, text }) => (
    <Checkbox
      key={id}
      checked={chosen.includes(id)}
      onChecked={(isIn) => onChosen(chosen.filter((one) => one !== id).concat(isIn ? id : []))}
    >
      {text}
    </Checkbox>
  ));
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

type SegmentedProps<T extends string> = ChoicesProps<T> & {
  /** Where something beside it says what is chosen; the legend is still read out. */
  readonly hasHiddenLegend?: boolean;
};

/** One of a few short words, side by side; what is chosen takes effect at once. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const { legend, hasHiddenLegend = false, ...choice } = props;
  return (
    <fieldset class="field">
      <legend class={hasHiddenLegend ? "visually-hidden" : undefined}>{legend}</legend>
      <div class="segmented">
        <RadioOptions {...choice} />
      </div>
    </fieldset>
  );
}

type RadioOptionsProps<T extends string> = {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
};

/** Values of which one is chosen, each with its text; what stands around them names and lays them out. */
function RadioOptions<T extends string>(props: RadioOptionsProps<T> & { labelClass?: string }) {
  const { value, options, onValue, labelClass } = props;
  const name = useId();
  return options.map((option) => (
    <label key={option.value} class={labelClass}>
      <input
        type="radio"
        name={name}
        checked={option.value === value}
        onChange={() => onValue(option.value)}
      />
      {option.text}
    </label>
  ));
}

type ChoicesProps<T extends string> = RadioOptionsProps<T> & { readonly legend: string };

/** One of two or three, all in sight. */
export function Choices<T extends string>({ legend, ...choice }: ChoicesProps<T>) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      <div class="row">
        <RadioOptions {...choice} labelClass="inline" />
      </div>
    </fieldset>
  );
}

/** A number that must be typed. */
export const NUMBER = { type: "number", step: "any", required: true } as const;

/** Within which two events are one earthquake: in merges and comparisons. */
export const THRESHOLDS = [
  { ...NUMBER, name: "timeThreshold", label: "Time", unit: "s", min: 0, max: 3_600 },
  { ...NUMBER, name: "distanceThreshold", label: "Distance", unit: "km", min: 0, max: 1_000 },
] as const;
