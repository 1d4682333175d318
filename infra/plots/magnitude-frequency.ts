import * as Plot from "@observablehq/plot";
import type { getBValue } from "#contracts/http/analytics/magnitudes.ts";
import type { getMagnitudeFrequency } from "#contracts/http/analytics/statistics.ts";
import { numberText, significant, withError } from "#contracts/plots/numbers.ts";
import {
  type Analysed,
  type Answer,
  type Caption,
  dashed,
  type LegendItem,
  linearAxis,
  logAxis,
  logDomain,
  lookOf,
  notesOf,
  numberOf,
  pageOf,
  panel,
  type Theme,
} from "./page.ts";

export type MagnitudeFrequencyPlot = {
  readonly frequency: Answer<typeof getMagnitudeFrequency>;
  readonly fit: Pick<Answer<typeof getBValue>, "estimate" | "reason" | keyof Analysed>;
};

type Frequency = MagnitudeFrequencyPlot["frequency"];
type Fit = MagnitudeFrequencyPlot["fit"];

const HEIGHT = 430;

/**
 * The frequency–magnitude distribution with logarithmic numbers: cumulative as squares, of each bin as
 * triangles, the Gutenberg–Richter law as a line from the magnitude of completeness up.
 */
export function drawMagnitudeFrequency(
  { frequency, fit }: MagnitudeFrequencyPlot,
  caption: Caption,
): string {
  const theme = lookOf(caption);
  const { bins = [] } = frequency;
  const filled = bins.filter(({ count }) => count > 0);
  const [first, second] = theme.series;
  const y = logDomain([1, ...bins.map(({ cumulative }) => cumulative)]);
  const at = { x: "magnitude", strokeWidth: 1.3, r: 3.2, clip: false } as const;
  const svg = panel(theme, {
    height: HEIGHT,
    x: { domain: magnitudesOf(frequency) },
    y: { type: "log", domain: [y[0] * 0.8, y[1]] },
    marks: [
      ...linearAxis(theme, "x", "Magnitude"),
      ...logAxis(theme, "y", "Number of events", y),
      ...typesOf(theme, frequency).map(({ bins: ofType, color }) =>
        Plot.line(ofType, { x: "magnitude", y: "cumulative", stroke: color, className: "type" }),
      ),
      ...lawMarks(theme, frequency, fit),
      Plot.dot(bins, {
        ...at,
        y: "cumulative",
        symbol: "square",
        stroke: first,
        className: "cumulative",
      }),
      Plot.dot(filled, {
        ...at,
        y: "count",
        symbol: "triangle",
        stroke: second,
        className: "bins",
      }),
    ],
  });
  return pageOf(caption, {
    title: "Frequency–magnitude distribution",
    body: { svg, height: HEIGHT },
    legend: legendOf(theme, frequency, fit),
    legendInside: true,
    notes: notesOf(frequency, fit),
  });
}

function magnitudesOf(frequency: Frequency): [number, number] {
  const { bins = [] } = frequency;
  const low = bins[0]?.magnitude ?? 0;
  const high = bins.at(-1)?.magnitude ?? 1;
  const space = Math.max(numberOf(frequency, "binWidth"), (high - low) * 0.03);
  return [low - space, high + space];
}

/** The most frequent magnitude types, where they were asked for. */
function typesOf({ series: colors, muted }: Theme, { series = [] }: Frequency) {
  const [, , third, fourth] = colors;
  return [third, fourth, muted].flatMap((color, i) => {
    const ofType = series[i];
    if (ofType === undefined) return [];
    return [{ ...ofType, name: ofType.type ?? "without a type", color }];
  });
}

function lawMarks(theme: Theme, { bins = [] }: Frequency, { estimate }: Fit) {
  if (estimate === null) return [];
  const { mc, b } = estimate;
  const from = bins.find(({ magnitude }) => magnitude >= mc - 1e-9);
  if (from === undefined) return [];
  const atMc = Math.log10(from.cumulative);
  const high = Math.min(mc + atMc / b, bins.at(-1)?.magnitude ?? mc);
  const line = [mc, high].map((m) => ({ m, n: 10 ** (atMc - b * (m - mc)) }));
  return [
    Plot.ruleX([mc], dashed(theme, "completeness")),
    Plot.line(line, { x: "m", y: "n", stroke: theme.ink, strokeWidth: 1.6, className: "law" }),
  ];
}

function legendOf(theme: Theme, frequency: Frequency, fit: Fit): LegendItem[] {
  const [first, second] = theme.series;
  const { estimate, reason } = fit;
  const ofTypes = typesOf(theme, frequency).map(({ name, n, color }) => ({
    text: `cumulative, ${name}, n = ${numberText(n)}`,
    ...{ sign: "line" as const, color },
  }));
  const signs: LegendItem[] = [
    { text: "cumulative, N(≥M)", sign: "square", color: first },
    {
      text: `in bins of ${numberText(numberOf(frequency, "binWidth"))}`,
      sign: "triangle",
      color: second,
    },
    ...ofTypes,
  ];
  if (estimate === null) return [...signs, { text: `no b-value: ${reason}` }];
  const { mc, n, b, sigma, aAnnual } = estimate;
  return [
    ...signs,
    { text: `b = ${withError(b, sigma)}`, sign: "line" },
    { text: `Mc = ${numberText(mc)}`, sign: "dashed" },
    { text: `n = ${numberText(n)}` },
    ...(aAnnual === null ? [] : [{ text: `a = ${significant(aAnnual, 3)} per year` }]),
  ];
}
