import type { PlotTheme } from "#contracts/http/analytics/plots.ts";
import { PLOT_COLOURS, type PlotColours } from "#contracts/plots/colours.ts";

export type Theme = PlotColours & {
  /** The part of the scale Viridis, from few to many, that the background leaves readable. */
  readonly ramp: readonly [few: number, many: number];
};

export const THEMES: Readonly<Record<PlotTheme, Theme>> = {
  light: { ...PLOT_COLOURS.light, ramp: [0.9, 0] },
  dark: { ...PLOT_COLOURS.dark, ramp: [0.25, 1] },
};

/** The font of the raster form; a browser without it takes one of its own. */
export const FONT = "Source Sans 3";
export const FONT_FAMILY = `"${FONT}", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif`;
