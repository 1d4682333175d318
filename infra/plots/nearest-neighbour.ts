import * as Plot from "@observablehq/plot";
import type { getNearestNeighbours } from "#contracts/http/analytics/declustering.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import {
  type Answer,
  type Caption,
  dashed,
  type LegendItem,
  linearAxis,
  lookOf,
  notesOf,
  pageOf,
  panel,
  shadesTo,
  stack,
  type Theme,
} from "./page.ts";

export type NearestNeighbourPlot = {
  readonly neighbours: Answer<typeof getNearestNeighbours>;
};
type NearestNeighbourAnswer = NearestNeighbourPlot["neighbours"];

const HISTOGRAM_HEIGHT = 230;
const DENSITY_HEIGHT = 330;

/** Times and distances to nearest neighbours, rescaled: their product η, and each by itself. */
export function drawNearestNeighbour(
  { neighbours: answer }: NearestNeighbourPlot,
  caption: Caption,
): string {
  const theme = lookOf(caption);
  return pageOf(caption, {
    title: "Nearest neighbours in space, time and magnitude",
    body: stack([
      { svg: histogramOf(theme, answer), height: HISTOGRAM_HEIGHT },
      { svg: densityOf(theme, answer), height: DENSITY_HEIGHT },
    ]),
    legend: legendOf(theme, answer),
    notes: [`df ${answer.parameters["df"]}, b ${answer.parameters["b"]}`, ...notesOf(answer)],
  });
}

function histogramOf(theme: Theme, answer: NearestNeighbourAnswer) {
  const [first] = theme.series;
  const { bins = [] } = answer;
  const curves = curvesOf(theme, answer);
  const highest = [...bins.map(({ count }) => count), ...curves.map(({ count }) => count)];
  const drawn = { x: "logEta", y: "count", z: "part", stroke: "color", strokeWidth: 1.8 } as const;
  return panel(theme, {
    height: HISTOGRAM_HEIGHT,
    x: { domain: [bins[0]?.from ?? -10, bins.at(-1)?.to ?? 0] },
    y: { domain: [0, Math.max(1, ...highest) * 1.06] },
    marks: [
      ...linearAxis(theme, "x", "Nearest-neighbour distance, log₁₀ η"),
      ...linearAxis(theme, "y", "Number of events", 5),
      Plot.rect(
        bins.filter(({ count }) => count > 0),
        {
          ...{ x1: "from", x2: "to", y1: 0, y2: "count", fill: first, fillOpacity: 0.55 },
          ...{ inset: 0.5, className: "bins" },
        },
      ),
      Plot.line(curves, { ...drawn, className: "parts" }),
      ...(answer.estimate === null
        ? []
        : [Plot.ruleX([answer.estimate.threshold], dashed(theme, "threshold"))]),
    ],
    color: { type: "identity" },
  });
}

/** The two fitted normal distributions as numbers in bins. */
function curvesOf(theme: Theme, { estimate, bins = [] }: NearestNeighbourAnswer) {
  const [first] = bins;
  if (estimate === null || first === undefined) return [];
  const { weight, means, sigmas, n } = estimate;
  if (weight === null || means === null || sigmas === null) return [];
  const [, , third, fourth] = theme.series;
  const last = bins.at(-1) ?? first;
  const binWidth = first.to - first.from;
  return [weight, 1 - weight].flatMap((share, part) => {
    const [mean, sigma] = [means[part] ?? 0, sigmas[part] ?? 1];
    const color = part === 0 ? fourth : third;
    return Array.from({ length: CURVE_POINTS + 1 }, (_, i) => {
      const logEta = first.from + ((last.to - first.from) * i) / CURVE_POINTS;
      const density = Math.exp(-0.5 * ((logEta - mean) / sigma) ** 2) / (sigma * ROOT_2_PI);
      return { part, color, logEta, count: n * share * binWidth * density };
    });
  });
}

const CURVE_POINTS = 200;
const ROOT_2_PI = Math.sqrt(2 * Math.PI);

function densityOf(theme: Theme, { series = [], estimate }: NearestNeighbourAnswer) {
  const cells = series.map(({ logT, logR, width, count }) => ({
    ...{ t1: logT, t2: logT + width, r1: logR, r2: logR + width, count },
  }));
  const x = rangeOf(cells.flatMap(({ t1, t2 }) => [t1, t2]));
  const y = rangeOf(cells.flatMap(({ r1, r2 }) => [r1, r2]));
  return panel(theme, {
    height: DENSITY_HEIGHT,
    x: { domain: x },
    y: { domain: y },
    color: shadesTo(theme, mostOf(series)),
    marks: [
      ...linearAxis(theme, "x", "Rescaled time, log₁₀ T"),
      ...linearAxis(theme, "y", "Rescaled distance, log₁₀ R", 6),
      Plot.rect(cells, {
        ...{ x1: "t1", x2: "t2", y1: "r1", y2: "r2", fill: "count" },
        ...{ shapeRendering: "crispEdges", className: "cells" },
      }),
      ...(estimate === null ? [] : diagonal(theme, estimate.threshold, x, y)),
    ],
  });
}

/** Where log T + log R is the threshold, within the frame. */
function diagonal(
  theme: Theme,
  threshold: number,
  [west, east]: readonly [number, number],
  [south, north]: readonly [number, number],
): Plot.Markish[] {
  const from = Math.max(west, threshold - north);
  const to = Math.min(east, threshold - south);
  if (from >= to) return [];
  const line = [from, to].map((t) => ({ t, r: threshold - t }));
  return [Plot.line(line, { x: "t", y: "r", strokeWidth: 1.4, ...dashed(theme, "threshold") })];
}

function rangeOf(values: readonly number[]): [number, number] {
  if (values.length === 0) return [-8, 2];
  return [Math.min(...values) - 0.3, Math.max(...values) + 0.3];
}

function mostOf(cells: readonly { readonly count: number }[]): number {
  return cells.reduce((most, { count }) => Math.max(most, count), 0);
}

function legendOf(
  theme: Theme,
  { estimate, reason, series = [] }: NearestNeighbourAnswer,
): LegendItem[] {
  if (estimate === null) return [{ text: `no distances: ${reason}` }];
  const { n, threshold, background, ashmanD, weight } = estimate;
  const [first, , third, fourth] = theme.series;
  const parts: LegendItem[] = [
    { text: "clustered part", sign: "line", color: fourth },
    { text: "background part", sign: "line", color: third },
  ];
  return [
    { text: "events", sign: "bar", color: first },
    ...(weight === null ? [] : parts),
    { text: `log₁₀ η₀ = ${numberText(threshold, 2)}`, sign: "dashed" },
    { text: `n = ${numberText(n)}` },
    { text: `${numberText(background)} background` },
    { text: `cells of up to ${numberText(mostOf(series))} events` },
    ...(ashmanD === null ? [] : [{ text: `Ashman’s D ${numberText(ashmanD, 2)}` }]),
  ];
}
