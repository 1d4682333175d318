import { parseHTML } from "linkedom";

/** What a plot shows, read from its SVG. */
export type ReadPlot = {
  /** All texts, in their order. */
  readonly texts: readonly string[];
  /** How many marks a class of them has. */
  readonly marks: (name: string) => number;
};

export function readSvg(svg: string): ReadPlot {
  const { document } = parseHTML(`<html><body>${svg}</body></html>`);
  const texts = [...document.querySelectorAll("text")].map(({ textContent }) => textContent ?? "");
  return {
    texts,
    marks: (name) => document.querySelectorAll(`g.${name} > *`).length,
  };
}
