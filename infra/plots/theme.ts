import type { PlotTheme } from "#contracts/http/analytics/plots.ts";
import { PLOT_COLOURS, type PlotColours } from "#contracts/plots/colours.ts";
import { PLOT_WIDTH } from "#contracts/plots/layout.ts";

type Colours = PlotColours & {
  /** The part of the scale Viridis, from few to many, that the background leaves readable. */
  readonly ramp: readonly [few: number, many: number];
};

export type Theme = Colours & {
  /** Of the whole plot, px. */
  readonly width: number;
};

const THEMES: Readonly<Record<PlotTheme, Colours>> = {
  light: { ...PLOT_COLOURS.light, ramp: [0.9, 0] },
  dark: { ...PLOT_COLOURS.dark, ramp: [0.25, 1] },
};

type Look = { readonly theme: PlotTheme; readonly width?: number };

/** What all parts of a plot share: colours and width. */
export function lookOf({ theme, width = PLOT_WIDTH }: Look): Theme {
  return Object.assign({ width }, THEMES[theme]);
}

/** The font of the raster form; a browser without it takes one of its own. */
export const FONT = "Source Sans 3";
export const FONT_FAMILY = `"${FONT}", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif`;
