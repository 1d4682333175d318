import { useId } from "preact/hooks";

type SegmentedProps<T extends string> = RadioOptionsProps<T> & {
  readonly legend: string;
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

export type RadioOptionsProps<T extends string> = {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onValue: (value: T) => void;
};

type RadioOptionsStyle = { readonly labelClass?: string };

/** Values of which one is chosen, each with its text; what stands around them names and lays them out. */
export function RadioOptions<T extends string>(props: RadioOptionsProps<T> & RadioOptionsStyle) {
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
