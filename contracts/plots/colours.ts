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
