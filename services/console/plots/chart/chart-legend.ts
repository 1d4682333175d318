import { LETTER_SIZE, type LegendPlace, legendPlaces, textWidth } from "#contracts/plots/layout.ts";
import type { Mark, Panel } from "./chart-types.ts";

type Drawn = Exclude<Mark, { readonly kind: "image" }>;

export type LegendEntry = LegendPlace & {
  readonly name: string;
  readonly colour: Drawn["colour"];
  readonly kind: Drawn["kind"];
  readonly isDashed: boolean;
};

const KEY = 24;

/** The named marks of the panels, each once, in rows of a width in pixels. */
export function legendOf(panels: readonly Panel[], width: number): readonly LegendEntry[] {
  const named = panels.flatMap(({ marks, legend = [] }) => [
    ...marks.flatMap((mark) =>
      mark.kind !== "image" && mark.name !== undefined
        ? [{ ...mark, name: mark.name, isDashed: mark.kind === "line" && mark.isDashed === true }]
        : [],
    ),
    ...legend.map((entry) => ({ ...entry, kind: "discs" as const, isDashed: false })),
  ]);
  const widths = named.map(({ name }) => KEY + LETTER_SIZE * textWidth(name));
  const places = legendPlaces(widths, width);
  return named.map(({ name, colour, kind, isDashed }, i) => {
    const place = places[i] ?? { x: 0, row: 0 };
    return { name, colour, kind, isDashed, ...place };
  });
}
