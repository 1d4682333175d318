import * as Plot from "@observablehq/plot";
import type { getRates } from "#contracts/http/analytics/statistics.ts";
import { numberText, significant } from "#contracts/plots/numbers.ts";
import {
  type Answer,
  type Caption,
  type LegendItem,
  linearAxis,
  lookOf,
  notesOf,
  pageOf,
  panel,
  stack,
  type Theme,
  timeAxis,
} from "./page.ts";

export type RatesPlot = { readonly rates: Answer<typeof getRates> };

const HEIGHT = 230;

/** Events in each unit of the calendar, and their cumulative number. */
export function drawRates({ rates: answer }: RatesPlot, caption: Caption): string {
  const theme = lookOf(caption);
  const bins = (answer.bins ?? []).map((bin) => ({
    ...bin,
    from: new Date(bin.start),
    to: new Date(bin.end),
  }));
  const [first, second] = theme.series;
  const filled = bins.filter(({ count }) => count > 0);
  const x = { type: "utc" as const, domain: [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 1] };
  const bars = { x1: "from", x2: "to", y1: 0, y2: "count", fill: first } as const;
  // Bars of less than a few pixels would vanish between their spaces.
  const inset = bins.length > 150 ? 0 : 0.5;
  const counts = panel(theme, {
    height: HEIGHT,
    x,
    y: { domain: [0, Math.max(1, ...bins.map(({ count }) => count)) * 1.06] },
    marks: [
      ...timeAxis(theme, null),
      ...linearAxis(theme, "y", `Events per ${answer.parameters["bin"]}`, 5),
      Plot.rect(filled, {
        ...{ ...bars, insetLeft: inset, insetRight: inset, className: "bins" },
        fillOpacity: (bin: { partial: boolean }) => (bin.partial ? 0.5 : 1),
      }),
    ],
  });
  const start = bins.slice(0, 1).map(({ from }) => ({ to: from, cumulative: 0 }));
  const steps = [...start, ...bins];
  const cumulative = panel(theme, {
    height: HEIGHT,
    x,
    y: { domain: [0, Math.max(1, bins.at(-1)?.cumulative ?? 1) * 1.04] },
    marks: [
      ...timeAxis(theme, "Time (UTC)"),
      ...linearAxis(theme, "y", "Cumulative number", 5),
      Plot.line(steps, {
        ...{ x: "to", y: "cumulative", stroke: second, strokeWidth: 1.8 },
        className: "cumulative",
      }),
    ],
  });
  return pageOf(caption, {
    title: "Rate of events",
    body: stack([
      { svg: counts, height: HEIGHT },
      { svg: cumulative, height: HEIGHT },
    ]),
    legend: legendOf(theme, answer),
    notes: notesOf(answer),
  });
}

function legendOf(
  theme: Theme,
  { estimate, reason, parameters, bins = [] }: RatesPlot["rates"],
): LegendItem[] {
  if (estimate === null) return [{ text: `no rates: ${reason}` }];
  const { n, max, maxStart, perYear } = estimate;
  const [first, second] = theme.series;
  const pale = bins.some(({ partial }) => partial) ? ", pale where partial" : "";
  return [
    { text: `per ${parameters["bin"]}${pale}`, sign: "bar", color: first },
    { text: "cumulative", sign: "line", color: second },
    { text: `n = ${numberText(n)}` },
    ...(perYear === null ? [] : [{ text: `${significant(perYear, 4)} per year` }]),
    { text: `most ${numberText(max)}, from ${maxStart.slice(0, 10)}` },
  ];
}
