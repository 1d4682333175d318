import { type CompletenessPlot, drawCompleteness } from "./draw-completeness.ts";
import { type DensityPlot, drawDensity } from "./draw-density.ts";
import { type DepthsPlot, drawDepths } from "./draw-depths.ts";
import { drawMagnitudeFrequency, type MagnitudeFrequencyPlot } from "./draw-magnitude-frequency.ts";
import { drawNearestNeighbour, type NearestNeighbourPlot } from "./draw-nearest-neighbour.ts";
import { drawOmori, type OmoriPlot } from "./draw-omori.ts";
import { drawRates, type RatesPlot } from "./draw-rates.ts";
import { drawTimeMagnitude, type TimeMagnitudePlot } from "./draw-time-magnitude.ts";
import type { Caption } from "./page.ts";

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
