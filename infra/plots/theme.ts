import type { PlotTheme } from "#contracts/http/analytics/plots.ts";

/** Colours of a plot. `series` are told apart by colour-blind readers too (Okabe & Ito 2008). */
export type Theme = {
  readonly background: string;
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly series: readonly [first: string, second: string, third: string, fourth: string];
  /** The part of the scale Viridis, from few to many, that the background leaves readable. */
  readonly ramp: readonly [few: number, many: number];
};

export const THEMES: Readonly<Record<PlotTheme, Theme>> = {
  light: {
    background: "#ffffff",
    ink: "#1b1f24",
    muted: "#59636e",
    grid: "#e4e7eb",
    series: ["#0072b2", "#d55e00", "#009e73", "#b0528c"],
    ramp: [0.9, 0],
  },
  dark: {
    background: "#14181d",
    ink: "#e8ebee",
    muted: "#a0aab4",
    grid: "#2b323a",
    series: ["#56b4e9", "#e69f00", "#2fc7a0", "#e39bc2"],
    ramp: [0.25, 1],
  },
};

/** The font of the raster form; a browser without it takes one of its own. */
export const FONT = "Source Sans 3";
export const FONT_FAMILY = `"${FONT}", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif`;
