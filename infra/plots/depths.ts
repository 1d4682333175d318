import * as Plot from "@observablehq/plot";
import type { getDepths } from "#contracts/http/analytics/statistics.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import {
  type Answer,
  type Caption,
  type LegendItem,
  linearAxis,
  lookOf,
  notesOf,
  numberOf,
  pageOf,
  panel,
  type Theme,
} from "./page.ts";

export type DepthsPlot = { readonly depths: Answer<typeof getDepths> };

const HEIGHT = 440;

/** How many events there are at each depth, from above to below. */
export function drawDepths({ depths: answer }: DepthsPlot, caption: Caption): string {
  const theme = lookOf(caption);
  const { bins = [] } = answer;
  const filled = bins.filter(({ count }) => count > 0);
  const most = Math.max(1, ...filled.map(({ count }) => count));
  const inset = bins.length > 100 ? 0 : 0.5;
  const svg = panel(theme, {
    height: HEIGHT,
    x: { domain: [0, most * 1.06] },
    y: { domain: [bins.at(-1)?.to ?? 1, bins[0]?.from ?? 0] },
    marks: [
      ...linearAxis(theme, "x", "Number of events"),
      ...linearAxis(theme, "y", "Depth (km)", 10),
      Plot.rect(filled, {
        ...{ x1: 0, x2: "count", y1: "from", y2: "to", fill: theme.series[0] },
        ...{ insetTop: inset, insetBottom: inset, className: "bins" },
      }),
    ],
  });
  return pageOf(caption, {
    title: "Depths",
    body: { svg, height: HEIGHT },
    legend: legendOf(theme, answer),
    notes: notesOf(answer),
  });
}

function legendOf(theme: Theme, depths: DepthsPlot["depths"]): LegendItem[] {
  const { estimate, reason } = depths;
  if (estimate === null) return [{ text: `no depths: ${reason}` }];
  const { n, missing, fixed } = estimate;
  return [
    {
      text: `in bins of ${numberText(numberOf(depths, "bin"))} km`,
      sign: "bar",
      color: theme.series[0],
    },
    { text: `n = ${numberText(n)}` },
    { text: `without depth ${numberText(missing)}` },
    { text: `fixed depths ${numberText(fixed.count)}` },
  ];
}
