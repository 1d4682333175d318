/** Measures, colours and lines of text of plots, which service and console draw alike. */

/** Pixels of a plot, as wide as it may be drawn, and around its frame. */
export const PLOT_WIDTH = 720;
export const PLOT_WIDTHS = { min: 320, max: 1200 } as const;
export const PLOT_MARGINS = { left: 72, right: 18 } as const;

/** Of a plot of a width, that of its frame. */
export function frameWidth(width: number): number {
  return width - PLOT_MARGINS.left - PLOT_MARGINS.right;
}

/** Of a title of one line, and of its letters; a further line adds its height. */
export const TITLE_HEIGHT = 34;
export const TITLE_SIZE = 15;
export const TITLE_LINE = 19;
/** The letters of plots: the console's own, then those of the service's pictures, which programs may have. */
export const PLOT_FACE = `"Console Sans", "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif`;
/** Of letters in the frame, and of the notes below it, with their lines. */
export const LETTER_SIZE = 12;
export const NOTE_SIZE = 10.5;
export const NOTE_LINE = 14;
/** From one row of the legend to the next, and between two of its entries. */
export const LEGEND_LINE = 18;
const LEGEND_SPACE = 18;

/** Where an entry of a legend begins, from its left edge and upper row. */
type LegendPlace = { readonly x: number; readonly row: number };

/** Puts entries of these widths in rows of a width. */
export function legendPlaces(widths: readonly number[], width: number): readonly LegendPlace[] {
  let [x, row] = [0, 0];
  return widths.map((needed) => {
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    const place = { x, row };
    x += needed + LEGEND_SPACE;
    return place;
  });
}

export function legendHeight(places: readonly LegendPlace[]): number {
  const last = places.at(-1);
  return last === undefined ? 0 : (last.row + 1) * LEGEND_LINE + 2;
}

/** Colours of plots. The series' are told apart by the colour-blind too (Okabe and Ito, 2008). */
export const PLOT_COLOURS = {
  light: {
    background: "#ffffff",
    ink: "#1b1f24",
    muted: "#59636e",
    grid: "#e4e7eb",
    series: ["#0072b2", "#d55e00", "#009e73", "#b0528c"],
  },
  dark: {
    background: "#14181d",
    ink: "#e8ebee",
    muted: "#a0aab4",
    grid: "#2b323a",
    series: ["#56b4e9", "#e69f00", "#2fc7a0", "#e39bc2"],
  },
} as const;

export type PlotColours = (typeof PLOT_COLOURS)["light" | "dark"];

const NARROW = /[ ijlftrI.,:;|'()[\]·]/g;
const WIDE = /[mwA-Z@%—]/g;

/** About how wide a text is, in units of its font's size: within a tenth for the usual sans-serifs. */
export function textWidth(text: string): number {
  const narrow = text.match(NARROW)?.length ?? 0;
  const wide = text.match(WIDE)?.length ?? 0;
  return 0.5 * text.length - 0.23 * narrow + 0.11 * wide;
}

/**
 * Breaks a text into lines at its spaces, and a longer word, as addresses are, where the line is full.
 * @param width as `textWidth`
 */
export function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(...piecesOf(word, width));
  }
  return lines;
}

function piecesOf(word: string, width: number): string[] {
  const pieces = [""];
  for (const letter of word) {
    const longer = `${pieces.at(-1)}${letter}`;
    if (pieces.at(-1) === "" || textWidth(longer) <= width) pieces[pieces.length - 1] = longer;
    else pieces.push(letter);
  }
  return pieces;
}
