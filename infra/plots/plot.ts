import { fileURLToPath } from "node:url";
import * as Plot from "@observablehq/plot";
import { Resvg } from "@resvg/resvg-js";
import type { getDepths } from "#contracts/http/analytics/statistics.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import { type CompletenessPlot, drawCompleteness } from "./completeness.ts";
import { type DensityPlot, drawDensity } from "./density.ts";
import { drawMagnitudeFrequency, type MagnitudeFrequencyPlot } from "./magnitude-frequency.ts";
import { drawNearestNeighbour, type NearestNeighbourPlot } from "./nearest-neighbour.ts";
import { drawOmori, type OmoriPlot } from "./omori.ts";
import {
  type Answer,
  type Caption,
  FONT,
  type LegendItem,
  linearAxis,
  lookOf,
  notesOf,
  numberOf,
  pageOf,
  panel,
  type Theme,
} from "./page.ts";
import { drawRates, type RatesPlot } from "./rates.ts";
import { drawTimeMagnitude, type TimeMagnitudePlot } from "./time-magnitude.ts";

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

const FONT_FILES = ["400Regular/SourceSans3_400Regular", "600SemiBold/SourceSans3_600SemiBold"].map(
  (name) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/source-sans-3/${name}.ttf`)),
);

/** A plot as PNG, with a font of the project's own. @param scale pixels of the picture by those of the SVG */
export function renderPng(svg: string, scale: number): Uint8Array {
  const font = { loadSystemFonts: false, fontFiles: FONT_FILES, defaultFontFamily: FONT };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: scale } }).render().asPng();
}
