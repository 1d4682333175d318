import * as Plot from "@observablehq/plot";
import { numberText, withError } from "#contracts/plots/numbers.ts";
import type { MagnitudeFrequencyPlot } from "./magnitude-frequency.ts";
import {
  type Analysed,
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
  timeAxis,
} from "./page.ts";

type PlottedEvent = {
  readonly time: string;
  readonly magnitude: number;
  /** km; null where it is not known. */
  readonly depth: number | null;
};

export type TimeMagnitudePlot = {
  /** `series` are events in order of time, of the `n` that have a magnitude: all, or with `bins` the largest. */
  readonly events: Analysed & {
    readonly estimate: { readonly n: number } | null;
    readonly reason?: string | undefined;
    readonly series?: readonly PlottedEvent[] | undefined;
    /** Of more events than can be shown: their numbers, in place of most dots. */
    readonly bins?: readonly TimeCell[] | undefined;
  };
  readonly fit: MagnitudeFrequencyPlot["fit"];
};

const HEIGHT = 250;

/** Magnitudes and depths over time, with the magnitude of completeness. */
export function drawTimeMagnitude(answers: TimeMagnitudePlot, caption: Caption): string {
  const theme = lookOf(caption);
  const { bins = [], series: events = [] } = answers.events;
  const dots = events.map(({ time, ...event }) => ({ ...event, time: new Date(time) }));
  const x = { type: "utc" as const, domain: timesOf(dots, bins) };
  const color = shadesTo(theme, mostIn(bins));
  const magnitudes = panel(theme, {
    height: HEIGHT,
    x,
    y: { domain: magnitudesOf(events, bins) },
    r: { type: "identity" },
    ...(bins.length > 0 && { color }),
    marks: [
      ...timeAxis(theme, null),
      ...linearAxis(theme, "y", "Magnitude", 6),
      ...cellMarks(bins, "magnitude"),
      Plot.dot(dots, { ...dotsOf(theme.series[0], events), y: "magnitude", className: "events" }),
      ...mcMarks(theme, answers),
    ],
  });
  const depthsShown = [
    ...dots.map(({ depth }) => depth ?? 0),
    ...bins.filter((cell) => cell.of === "depth").flatMap(({ low, high }) => [low, high]),
  ];
  const deepest = depthsShown.reduce((most, depth) => Math.max(most, depth), 10);
  const highest = depthsShown.reduce((least, depth) => Math.min(least, depth), 0);
  const depths = panel(theme, {
    height: HEIGHT,
    x,
    y: { domain: [deepest * 1.04, highest - 0.02 * deepest] },
    r: { type: "identity" },
    ...(bins.length > 0 && { color }),
    marks: [
      ...timeAxis(theme, "Time (UTC)"),
      ...linearAxis(theme, "y", "Depth (km)", 6),
      ...cellMarks(bins, "depth"),
      Plot.dot(
        dots.filter(({ depth }) => depth !== null),
        { ...dotsOf(theme.series[1], events), y: "depth", className: "depths" },
      ),
    ],
  });
  return pageOf(caption, {
    title: "Magnitudes and depths over time",
    body: stack([
      { svg: magnitudes, height: HEIGHT },
      { svg: depths, height: HEIGHT },
    ]),
    legend: legendOf(theme, answers),
    notes: notesOf(answers.events, answers.fit),
  });
}

function timesOf(
  dots: readonly { readonly time: Date }[],
  bins: readonly TimeCell[],
): [Date, Date] {
  const times = [
    ...dots.map(({ time }) => Number(time)),
    ...bins.flatMap(({ start, end }) => [Date.parse(start), Date.parse(end)]),
  ];
  const first = times.reduce((least, time) => Math.min(least, time), times[0] ?? 0);
  const last = times.reduce((most, time) => Math.max(most, time), times[0] ?? 1);
  const space = Math.max(1000, (last - first) * 0.015);
  return [new Date(first - space), new Date(last + space)];
}

function magnitudesOf(
  events: readonly PlottedEvent[],
  bins: readonly TimeCell[],
): [number, number] {
  const magnitudes = [
    ...events.map(({ magnitude }) => magnitude),
    ...bins.filter((cell) => cell.of === "magnitude").flatMap(({ low, high }) => [low, high]),
  ];
  const [first] = magnitudes;
  if (first === undefined) return [0, 1];
  return [
    magnitudes.reduce((least, one) => Math.min(least, one), first) - 0.3,
    magnitudes.reduce((most, one) => Math.max(most, one), first) + 0.3,
  ];
}

/** Dots with an area that grows by two thirds with each magnitude, below the largest. */
function dotsOf(color: string, events: readonly PlottedEvent[]) {
  const largest = events.reduce((most, { magnitude }) => Math.max(most, magnitude), 0);
  const r = ({ magnitude }: PlottedEvent) => Math.max(1.1, 7 * 10 ** ((magnitude - largest) / 4.5));
  return {
    ...{ x: "time", r: r as never, fill: color, fillOpacity: 0.45, sort: null },
    ...{ stroke: color, strokeWidth: 0.5, strokeOpacity: 0.8 },
  };
}

function mcMarks(theme: Theme, { fit: { estimate } }: TimeMagnitudePlot) {
  if (estimate === null) return [];
  return [Plot.ruleY([estimate.mc], dashed(theme, "completeness"))];
}

function legendOf(theme: Theme, { events, fit }: TimeMagnitudePlot): LegendItem[] {
  if (events.estimate === null) return [{ text: `no events: ${events.reason}` }];
  const { n } = events.estimate;
  const [first, second] = theme.series;
  const { bins, series = [] } = events;
  const largest = bins === undefined ? "" : `, the ${series.length} largest`;
  const { estimate } = fit;
  return [
    { text: `magnitude${largest}`, sign: "dot", color: first },
    { text: `depth${largest}`, sign: "dot", color: second },
    ...(bins === undefined
      ? []
      : [{ text: `shades: 1 to ${numberText(mostIn(bins))} events in a cell` }]),
    { text: `n = ${numberText(n)}` },
    ...(estimate === null
      ? []
      : [
          { text: `Mc = ${numberText(estimate.mc)}`, sign: "dashed" as const },
          { text: `b = ${withError(estimate.b, estimate.sigma)}` },
        ]),
  ];
}

/** How many events there are in a stretch of time and a range of magnitudes or depths. */
type TimeCell = {
  readonly of: "magnitude" | "depth";
  readonly start: string;
  readonly end: string;
  /** Magnitudes, or km. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
};

/** The cells of a panel, shaded by their numbers (`shadesTo`). */
function cellMarks(bins: readonly TimeCell[], of: TimeCell["of"]) {
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

function mostIn(bins: readonly TimeCell[]): number {
  return bins.reduce((most, { count }) => Math.max(most, count), 0);
}
