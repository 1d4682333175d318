import * as Plot from "@observablehq/plot";
import type { getDensity } from "#contracts/http/analytics/statistics.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import {
  type Answer,
  type Caption,
  element,
  type LegendItem,
  logAxis,
  lookOf,
  MARGINS,
  namedAxis,
  notesOf,
  numberOf,
  pageOf,
  panel,
  type SvgElement,
  shadesTo,
  type Theme,
} from "./page.ts";

export type DensityPlot = { readonly density: Answer<typeof getDensity> };
type DensityAnswer = DensityPlot["density"];

type Box = {
  readonly x: readonly [west: number, east: number];
  readonly y: readonly [south: number, north: number];
};

const BAR_WIDTH = 98;
const MAX_HEIGHT = 620;
const MIN_HEIGHT = 300;

/** How many events there are in each cell of a map. */
export function drawDensity({ density: answer }: DensityPlot, caption: Caption): string {
  const theme = lookOf(caption);
  const { bins = [] } = answer;
  const cell = numberOf(answer, "cell");
  const edge = westernEdge(bins.map(({ longitude }) => longitude));
  const cells = bins.map(({ latitude, longitude, count }) => {
    const west = longitude < edge ? longitude + 360 : longitude;
    return { west, east: west + cell, south: latitude, north: latitude + cell, count };
  });
  const mapWidth = theme.width - BAR_WIDTH;
  const { box, height } = frameOf(boxOf(cells, cell), mapWidth);
  const color = shadesTo(theme, answer.estimate?.max ?? 2);
  const map = panel(theme, {
    ...{ width: mapWidth, height, color },
    x: { domain: box.x },
    y: { domain: box.y },
    marks: [
      ...namedAxis(theme, "x", "Longitude", longitudeText),
      ...namedAxis(theme, "y", "Latitude", (latitude) => degreesText(latitude, "N", "S", 0)),
      Plot.rect(cells, {
        ...{ x1: "west", x2: "east", y1: "south", y2: "north", fill: "count" },
        ...{ shapeRendering: "crispEdges", className: "bins" },
      }),
    ],
  });
  const bar = element(
    "g",
    { transform: `translate(${mapWidth},0)` },
    colorBar(theme, color, height),
  );
  return pageOf(caption, {
    title: "Density of events",
    body: { svg: element("g", {}, map, bar), height },
    legend: legendOf(answer),
    notes: notesOf(answer),
  });
}

function boxOf(
  cells: readonly { west: number; east: number; south: number; north: number }[],
  cell: number,
): Box {
  if (cells.length === 0) return { x: [-180, 180], y: [-90, 90] };
  const west = cells.reduce((least, now) => Math.min(least, now.west), Infinity);
  const east = cells.reduce((most, now) => Math.max(most, now.east), -Infinity);
  const south = cells.reduce((least, now) => Math.min(least, now.south), Infinity);
  const north = cells.reduce((most, now) => Math.max(most, now.north), -Infinity);
  return {
    x: [west - cell, east + cell],
    y: [Math.max(-90, south - cell), Math.min(90, north + cell)],
  };
}

/** Widens the box so that a degree is as long in both directions in the middle of the map. */
function frameOf({ x, y }: Box, mapWidth: number): { readonly box: Box; readonly height: number } {
  const inner = mapWidth - MARGINS.marginLeft - MARGINS.marginRight;
  const outer = MARGINS.marginTop + MARGINS.marginBottom;
  const shrink = Math.max(0.1, Math.cos((((y[0] + y[1]) / 2) * Math.PI) / 180));
  const width = (x[1] - x[0]) * shrink;
  const ideal = (inner * (y[1] - y[0])) / width;
  const frame = Math.min(MAX_HEIGHT - outer, Math.max(MIN_HEIGHT - outer, ideal));
  const wider = widened(x, Math.max(width, ((y[1] - y[0]) * inner) / frame) / shrink);
  const higher = widened(y, Math.max(y[1] - y[0], (width * frame) / inner));
  return { box: { x: wider, y: higher }, height: Math.round(frame + outer) };
}

function widened([low, high]: readonly [number, number], width: number): [number, number] {
  const space = Math.max(0, (width - (high - low)) / 2);
  return [low - space, high + space];
}

const STEPS = 80;

function colorBar(theme: Theme, color: ReturnType<typeof shadesTo>, height: number): SvgElement {
  const [low, high] = color.domain;
  const at = (i: number) => low * (high / low) ** (i / STEPS);
  const steps = Array.from({ length: STEPS }, (_, i) => ({
    ...{ from: at(i), to: at(i + 1), count: at(i + 0.5) },
  }));
  return panel(theme, {
    ...{ width: BAR_WIDTH, height, marginLeft: 66, color },
    x: { domain: [0, 1] },
    y: { type: "log", domain: color.domain },
    marks: [
      Plot.rect(steps, {
        ...{ x1: 0, x2: 1, y1: "from", y2: "to", fill: "count" },
        ...{ insetTop: -1, className: "ramp" },
      }),
      ...logAxis(theme, "y", "Events in a cell", color.domain).slice(1),
    ],
  });
}

function legendOf(density: DensityAnswer): LegendItem[] {
  const { estimate, reason } = density;
  if (estimate === null) return [{ text: `no density: ${reason}` }];
  return [
    { text: `cells of ${numberOf(density, "cell")}°` },
    { text: `n = ${numberText(estimate.n)}` },
    { text: `${numberText(estimate.cells)} cells with events` },
    { text: `most ${numberText(estimate.max)}` },
  ];
}

/**
 * Where a map of some longitudes begins, degrees: after the widest gap between them, so that a region
 * at the 180th meridian is not torn apart.
 */
function westernEdge(longitudes: readonly number[]): number {
  const sorted = [...new Set(longitudes)].toSorted((a, b) => a - b);
  const first = sorted[0] ?? -180;
  let edge = first;
  let widest = first + 360 - (sorted.at(-1) ?? first);
  for (const [i, longitude] of sorted.entries()) {
    const gap = longitude - (sorted[i - 1] ?? longitude);
    if (gap > widest) {
      widest = gap;
      edge = longitude;
    }
  }
  return edge;
}

/** 175°E, 0°, 179.5°W. */
function longitudeText(longitude: number): string {
  const wrapped = ((((longitude + 180) % 360) + 360) % 360) - 180;
  return degreesText(wrapped, "E", "W", 180);
}

function degreesText(value: number, above: string, below: string, neither: number): string {
  const rounded = Math.round(value * 1e6) / 1e6;
  const size = Math.abs(rounded);
  const side = size === 0 || size === neither ? "" : rounded > 0 ? above : below;
  return `${size}°${side}`;
}
