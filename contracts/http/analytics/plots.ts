import { z } from "zod";
import { PLOT_WIDTH, PLOT_WIDTHS } from "../../plots/layout.ts";
import { asOf, filteredQuery, filterShape, nameIn, queryInteger } from "../../query/parameters.ts";
import { CatalogueParams, operation, sharedAt } from "../operation.ts";
import { getNearestNeighbours } from "./declustering.ts";
import { getBValue, getCompleteness } from "./magnitudes.ts";
import { getDensity, getDepths, getMagnitudeFrequency, getOmori, getRates } from "./statistics.ts";

export const PLOT_FORMATS = { svg: "image/svg+xml; charset=utf-8", png: "image/png" } as const;
export type PlotFormat = keyof typeof PLOT_FORMATS;

const PlotThemeName = z.enum(["light", "dark"]);
export type PlotTheme = z.infer<typeof PlotThemeName>;

/** What every plot takes beside the parameters of its analysis. */
const shownShape = {
  theme: PlotThemeName.optional().describe("default light"),
  width: queryInteger(PLOT_WIDTHS, `pixels across, default ${PLOT_WIDTH}`).optional(),
  scale: z
    .enum(["1", "2"])
    .optional()
    .describe("png: pixels of the picture by those of the svg, default 1"),
};

const PlotParams = CatalogueParams.extend({
  format: nameIn(PLOT_FORMATS),
});

/** An analysis as a picture, with the parameters of the analysis. */
function plot<const P extends string, Q extends z.ZodRawShape>(
  path: P,
  { summary, parameters }: { readonly summary: string; readonly parameters: Q },
) {
  return operation("GET", `/api/catalogues/:id/analytics/${path}.:format`, {
    summary,
    access: "readers",
    alsoAt: sharedAt(`/analytics/${path}.:format`),
    caching: "revalidated",
    params: PlotParams,
    query: filteredQuery({ ...filterShape, asOf, ...parameters, ...shownShape }),
    answer: z.string().describe("the picture"),
    contentTypes: Object.values(PLOT_FORMATS),
  });
}

const {
  series: _series,
  per: _per,
  windows: _windows,
  bootstrap: _bootstrap,
  magnitudeErrors: _errors,
  ...ofFit
} = getBValue.query.shape;
const { per: _periods, windows: _most, ...ofCompleteness } = getCompleteness.query.shape;

export const plotMagnitudeFrequency = plot("magnitude-frequency", {
  summary: "The frequency–magnitude distribution with the fitted law, as a picture",
  parameters: { ...ofFit, by: getMagnitudeFrequency.query.shape.by },
});

export const plotCompleteness = plot("completeness", {
  summary: "Numbers of events, b-value and goodness of fit by magnitude, as a picture",
  parameters: ofCompleteness,
});

export const plotRates = plot("rates", {
  summary: "Numbers of events over time, as a picture",
  parameters: getRates.query.shape,
});

export const plotTimeMagnitude = plot("time-magnitude", {
  summary: "Magnitudes and depths over time, as a picture",
  parameters: ofFit,
});

export const plotDepths = plot("depths", {
  summary: "Numbers of events by depth, as a picture",
  parameters: getDepths.query.shape,
});

export const plotOmori = plot("omori", {
  summary: "The decay of aftershocks with the fitted law, as a picture",
  parameters: getOmori.query.shape,
});

export const plotDensity = plot("density", {
  summary: "Numbers of events in the cells of a map, as a picture",
  parameters: getDensity.query.shape,
});

export const plotNearestNeighbour = plot("nearest-neighbour", {
  summary: "Distances from nearest earlier events in space, time and magnitude, as a picture",
  parameters: getNearestNeighbours.query.shape,
});
