import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { type CompletenessPlot, drawCompleteness } from "./completeness.ts";
import { type DensityPlot, drawDensity } from "./density.ts";
import { type DepthsPlot, drawDepths } from "./depths.ts";
import { drawMagnitudeFrequency, type MagnitudeFrequencyPlot } from "./magnitude-frequency.ts";
import { drawNearestNeighbour, type NearestNeighbourPlot } from "./nearest-neighbour.ts";
import { drawOmori, type OmoriPlot } from "./omori.ts";
import { type Caption, FONT } from "./page.ts";
import { drawRates, type RatesPlot } from "./rates.ts";
import { drawTimeMagnitude, type TimeMagnitudePlot } from "./time-magnitude.ts";

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
