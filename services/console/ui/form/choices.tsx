import { useId } from "preact/hooks";

type ChoicesProps<T extends string> = {
  readonly legend: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
};

/** One of two or three, all in sight. */
export function Choices<T extends string>({ legend, value, options, onValue }: ChoicesProps<T>) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      <div class="row">
        {options.map((option) => (
          <label key={option.value} class="inline">
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onValue(option.value)}
            />
            {option.text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
