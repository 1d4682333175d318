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
/** Of letters in the frame, and of the notes below it, with their lines. */
export const LETTER_SIZE = 12;
export const NOTE_SIZE = 10.5;
export const NOTE_LINE = 14;
/** From one row of the legend to the next, and between two of its entries. */
export const LEGEND_LINE = 18;
const LEGEND_SPACE = 18;

/** Where an entry of a legend begins, from its left edge and upper row. */
export type LegendPlace = { readonly x: number; readonly row: number };

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
