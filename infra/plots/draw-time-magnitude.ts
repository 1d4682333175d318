import * as Plot from "@observablehq/plot";
import { PLOT_WIDTH } from "#contracts/plots/layout.ts";
import { numberText, withError } from "#contracts/plots/number-text.ts";
import { linearAxis, timeAxis } from "./axes.ts";
import type { MagnitudeFrequencyPlot } from "./draw-magnitude-frequency.ts";
import type { LegendItem } from "./legend.ts";
import { type Analysed, notesOf } from "./notes.ts";
import { type Caption, pageOf } from "./page.ts";
import { panel, stack } from "./panel.ts";
import { THEMES, type Theme } from "./theme.ts";

type PlottedEvent = {
  readonly time: string;
  readonly magnitude: number;
  /** km; null where it is not known. */
  readonly depth: number | null;
};

export type TimeMagnitudePlot = {
  /** `series` are the events to be shown, in order of time, of the `n` that have a magnitude. */
  readonly events: Analysed & {
    readonly estimate: { readonly n: number } | null;
    readonly reason?: string | undefined;
    readonly series?: readonly PlottedEvent[] | undefined;
  };
  readonly fit: MagnitudeFrequencyPlot["fit"];
};

const HEIGHT = 250;

/** Magnitudes and depths over time, with the magnitude of completeness. */
export function drawTimeMagnitude(answers: TimeMagnitudePlot, caption: Caption): string {
  const theme = THEMES[caption.theme];
  const { series: events = [] } = answers.events;
  const dots = events.map(({ time, ...event }) => ({ ...event, time: new Date(time) }));
  const x = { type: "utc" as const, domain: timesOf(dots) };
  const magnitudes = panel(theme, {
    ...{ width: PLOT_WIDTH, height: HEIGHT, x },
    y: { domain: magnitudesOf(events) },
    r: { type: "identity" },
    marks: [
      ...timeAxis(theme, null),
      ...linearAxis(theme, "y", "Magnitude", 6),
      Plot.dot(dots, { ...dotsOf(theme.series[0], events), y: "magnitude", className: "events" }),
      ...mcMarks(theme, answers),
    ],
  });
  const deepest = Math.max(10, ...dots.map(({ depth }) => depth ?? 0));
  const highest = Math.min(0, ...dots.map(({ depth }) => depth ?? 0));
  const depths = panel(theme, {
    ...{ width: PLOT_WIDTH, height: HEIGHT, x },
    y: { domain: [deepest * 1.04, highest - 0.02 * deepest] },
    r: { type: "identity" },
    marks: [
      ...timeAxis(theme, "Time (UTC)"),
      ...linearAxis(theme, "y", "Depth (km)", 6),
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

function timesOf(dots: readonly { readonly time: Date }[]): [Date, Date] {
  const first = Number(dots[0]?.time ?? 0);
  const last = Number(dots.at(-1)?.time ?? 1);
  const space = Math.max(1000, (last - first) * 0.015);
  return [new Date(first - space), new Date(last + space)];
}

function magnitudesOf(events: readonly PlottedEvent[]): [number, number] {
  const magnitudes = events.map(({ magnitude }) => magnitude);
  if (magnitudes.length === 0) return [0, 1];
  return [Math.min(...magnitudes) - 0.3, Math.max(...magnitudes) + 0.3];
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
  return [
    Plot.ruleY([estimate.mc], {
      ...{ stroke: theme.ink, strokeDasharray: "5,3", className: "completeness" },
    }),
  ];
}

function legendOf(theme: Theme, { events, fit }: TimeMagnitudePlot): LegendItem[] {
  if (events.estimate === null) return [{ text: `no events: ${events.reason}` }];
  const { n } = events.estimate;
  const count = events.series?.length ?? 0;
  const [first, second] = theme.series;
  const sampled = count < n ? ` (${numberText(count)} shown: the largest, the rest by time)` : "";
  const { estimate } = fit;
  return [
    { text: "magnitude", sign: "dot", color: first },
    { text: "depth", sign: "dot", color: second },
    { text: `n = ${numberText(n)}${sampled}` },
    ...(estimate === null
      ? []
      : [
          { text: `Mc = ${numberText(estimate.mc)}`, sign: "dashed" as const },
          { text: `b = ${withError(estimate.b, estimate.sigma)}` },
        ]),
  ];
}
