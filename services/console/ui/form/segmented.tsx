import { RadioOptions, type RadioOptionsProps } from "./radio-options.tsx";

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
