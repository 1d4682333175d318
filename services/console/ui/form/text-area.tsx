import { useId } from "preact/hooks";
import { count } from "../text/format.ts";

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
