import type { Mark, Panel } from "./chart-types.ts";

type Drawn = Exclude<Mark, { readonly kind: "image" }>;

export type LegendEntry = {
  readonly name: string;
  readonly colour: Drawn["colour"];
  readonly kind: Drawn["kind"];
  readonly isDashed: boolean;
  /** Pixels from the left, and the row. */
  readonly at: number;
  readonly row: number;
};

/** A letter's mean width by its height; what is drawn has no other font than the reader's. */
export const LETTER = 0.56;
const FONT = 12;
const KEY = 24;
const SPACE = 18;

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
  let [at, row] = [0, 0];
  return named.map(({ name, colour, kind, isDashed }) => {
    const length = KEY + name.length * FONT * LETTER + SPACE;
    if (at > 0 && at + length > width) [at, row] = [0, row + 1];
    const entry = { name, colour, kind, isDashed, at, row };
    at += length;
    return entry;
  });
}

/** A text in lines of so many letters at most, broken at its spaces. */
export function linesOf(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
