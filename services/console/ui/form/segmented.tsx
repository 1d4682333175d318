import { useId } from "preact/hooks";

type SegmentedProps<T extends string> = {
  readonly legend: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
  /** Where something beside it says what is chosen; the legend is still read out. */
  readonly hasHiddenLegend?: boolean;
};

/** One of a few short words, side by side; what is chosen takes effect at once. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const { legend, value, options, onValue, hasHiddenLegend = false } = props;
  const name = useId();
  return (
    <fieldset class="field">
      <legend class={hasHiddenLegend ? "visually-hidden" : undefined}>{legend}</legend>
      <div class="segmented">
        {options.map((option) => (
          <label key={option.value}>
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
