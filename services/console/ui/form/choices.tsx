import { RadioOptions, type RadioOptionsProps } from "./segmented.tsx";

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
