import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import type { Parameter } from "./parameters.ts";

/** After this pause in typing the analysis is asked for. */
const PAUSE_MS = 400;

type ParameterInputProps = {
  readonly parameter: Parameter;
  readonly value: string;
  /** Choosing makes an entry of the history, typing none. */
  readonly onValue: (value: string, how: "push" | "replace") => void;
  readonly problem?: string | undefined;
};

export function ParameterInput({ parameter, value, onValue, problem }: ParameterInputProps) {
  const { label, options, unit, placeholder } = parameter;
  const typed = useSignal(value);
  // The page is drawn again while the pause runs: what is told is told by its latest state.
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => {
    typed.value = value;
  }, [value]);
  useEffect(() => {
    if (typed.value === value) return;
    const timer = setTimeout(() => latest.current(typed.value, "replace"), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  if (options)
    return (
      <Select
        label={label}
        value={value}
        options={options}
        onValue={(chosen) => onValue(chosen, "push")}
      />
    );
  return (
    <Field
      label={label}
      unit={unit ?? ""}
      {...bound(typed)}
      problem={problem}
      {...(placeholder && { placeholder })}
    />
  );
}
