import * as Plot from "@observablehq/plot";
import type { Theme } from "./theme.ts";

/** How many events there are in a stretch of time and a range of magnitudes or depths. */
export type TimeCell = {
  readonly of: "magnitude" | "depth";
  readonly start: string;
  readonly end: string;
  /** Magnitudes, or km. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
};

/** The cells of a panel, shaded by their numbers (`colorOf`). */
export function cellMarks(bins: readonly TimeCell[], of: TimeCell["of"]) {
  const cells = bins
    .filter((cell) => cell.of === of)
    .map((cell) => ({ ...cell, start: new Date(cell.start), end: new Date(cell.end) }));
  if (cells.length === 0) return [];
  return [
    Plot.rect(cells, {
      ...{ x1: "start", x2: "end", y1: "low", y2: "high", fill: "count" },
      // Over each other's edges a little: rounding to pixels would leave lines between them.
      ...{ insetLeft: -0.3, insetRight: -0.3, shapeRendering: "crispEdges", className: "bins" },
    }),
  ];
}

/** A panel's scale of shades, by logarithms. */
export function colorOf({ ramp }: Theme, bins: readonly TimeCell[]) {
  const domain: [number, number] = [1, Math.max(2, mostIn(bins))];
  return { type: "log", scheme: "viridis", range: ramp, domain } as const;
}

export function mostIn(bins: readonly TimeCell[]): number {
  return bins.reduce((most, { count }) => Math.max(most, count), 0);
}
