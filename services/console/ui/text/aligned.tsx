import { aligned, type Measure } from "./format.ts";

type AlignedProps = { readonly value: number | null | undefined; readonly measure: Measure };

/** A number in a column, whose points stand below each other though decimals differ (tables.css). */
export function Aligned({ value, measure }: AlignedProps) {
  const [text, lacking] = aligned(value, measure);
  return (
    <span class="aligned" data-lacking={lacking}>
      {text}
    </span>
  );
}
