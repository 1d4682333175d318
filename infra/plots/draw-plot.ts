import * as Plot from "@observablehq/plot";
import type { getDepths } from "#contracts/http/analytics/rates.ts";
import { numberText } from "#contracts/plots/number-text.ts";
import { linearAxis } from "./axes.ts";
import { type CompletenessPlot, drawCompleteness } from "./draw-completeness.ts";
import { type DensityPlot, drawDensity } from "./draw-density.ts";
import { drawMagnitudeFrequency, type MagnitudeFrequencyPlot } from "./draw-magnitude-frequency.ts";
import { drawNearestNeighbour, type NearestNeighbourPlot } from "./draw-nearest-neighbour.ts";
import { drawOmori, type OmoriPlot } from "./draw-omori.ts";
import { drawRates, type RatesPlot } from "./draw-rates.ts";
import { drawTimeMagnitude, type TimeMagnitudePlot } from "./draw-time-magnitude.ts";
import type { LegendItem } from "./legend.ts";
import { type Answer, notesOf, numberOf } from "./notes.ts";
import { type Caption, pageOf } from "./page.ts";
import { panel } from "./panel.ts";
import { lookOf, type Theme } from "./theme.ts";

type DepthsPlot = { readonly depths: Answer<typeof getDepths> };

const HEIGHT = 440;

/** How many events there are at each depth, from above to below. */
function drawDepths({ depths: answer }: DepthsPlot, caption: Caption): string {
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

/** The answers that each plot shows. */
export type Plots = {
  readonly "magnitude-frequency": MagnitudeFrequencyPlot;
  readonly completeness: CompletenessPlot;
  readonly rates: RatesPlot;
  readonly "time-magnitude": TimeMagnitudePlot;
  readonly depths: DepthsPlot;
  readonly omori: OmoriPlot;
  readonly density: DensityPlot;
  readonly "nearest-neighbour": NearestNeighbourPlot;
};

export type PlotName = keyof Plots;

const DRAWERS: { readonly [N in PlotName]: (answers: Plots[N], caption: Caption) => string } = {
  "magnitude-frequency": drawMagnitudeFrequency,
  completeness: drawCompleteness,
  rates: drawRates,
  "time-magnitude": drawTimeMagnitude,
  depths: drawDepths,
  omori: drawOmori,
  density: drawDensity,
  "nearest-neighbour": drawNearestNeighbour,
};

/** A plot as an SVG document, with fonts by their names alone. */
export function drawPlot<N extends PlotName>(name: N, answers: Plots[N], caption: Caption): string {
  return DRAWERS[name](answers, caption);
}
