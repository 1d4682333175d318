import * as Plot from "@observablehq/plot";
import type { getBValue, getCompleteness } from "#contracts/http/analytics/magnitudes.ts";
import { BIN_WIDTH } from "#contracts/http/analytics/statistics.ts";
import { numberText, withError } from "#contracts/plots/numbers.ts";
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
  stack,
  type Theme,
} from "./page.ts";

export type CompletenessPlot = {
  readonly completeness: Answer<typeof getCompleteness>;
  /** By goodness of fit: R for each magnitude as if it were Mc. */
  readonly goodness: Answer<typeof getCompleteness>;
  /** With b for each Mc. */
  readonly stability: Answer<typeof getBValue>;
};

const HEIGHT = 200;
/** Of 95 %, by the standard error. */
const BAND = 1.96;

/** How many events there are of each magnitude, and b and the goodness of its fit as functions of Mc. */
export function drawCompleteness(answers: CompletenessPlot, caption: Caption): string {
  const theme = lookOf(caption);
  const x = { domain: domainOf(answers.completeness) };
  const parts = [countMarks, bMarks, goodnessMarks].map((marksOf) => {
    const { marks, y } = marksOf(theme, answers);
    const svg = panel(theme, {
      height: HEIGHT,
      x,
      y,
      marks: [...marks, ...mcMarks(theme, answers)],
    });
    return { svg, height: HEIGHT };
  });
  return pageOf(caption, {
    title: "Magnitude of completeness",
    body: stack(parts),
    legend: legendOf(theme, answers),
    notes: notesOf(answers.completeness, answers.goodness, answers.stability),
  });
}

function domainOf({ bins = [], ...answer }: CompletenessPlot["completeness"]): [number, number] {
  const width = widthOf(answer);
  const low = bins[0]?.magnitude ?? 0;
  const high = bins.at(-1)?.magnitude ?? 1;
  return [low - width, high + width];
}

function countMarks(theme: Theme, { completeness }: CompletenessPlot) {
  const { bins = [] } = completeness;
  const half = widthOf(completeness) * 0.42;
  const bars = bins
    .filter(({ count }) => count > 0)
    .map(({ magnitude, count }) => ({ from: magnitude - half, to: magnitude + half, count }));
  return {
    y: { domain: [0, Math.max(1, ...bars.map(({ count }) => count)) * 1.06] },
    marks: [
      ...linearAxis(theme, "x", "Magnitude"),
      ...linearAxis(theme, "y", "Number of events", 5),
      Plot.rect(bars, {
        x1: "from",
        x2: "to",
        y1: 0,
        y2: "count",
        fill: theme.series[1],
        className: "bins",
      }),
    ],
  };
}

function bMarks(theme: Theme, { stability }: CompletenessPlot) {
  const [color] = theme.series;
  const points = fitsOf(stability).map(({ mc, b, sigma }) => ({
    ...{ mc, b },
    low: b - BAND * sigma,
    high: b + BAND * sigma,
  }));
  const values = points.flatMap(({ b }) => [0.8 * b, 1.2 * b]);
  const band = { x: "mc", y1: "low", y2: "high", fill: color, fillOpacity: 0.22, clip: false };
  const limits = rangeOf(values, [0.5, 1.5]);
  const within = points.map((point) => ({
    ...point,
    low: Math.max(point.low, limits[0]),
    high: Math.min(point.high, limits[1]),
  }));
  return {
    y: { domain: limits },
    marks: [
      ...linearAxis(theme, "x", "Magnitude of completeness, Mc"),
      ...linearAxis(theme, "y", "b-value", 5),
      Plot.areaY(within, { ...band, className: "band" }),
      Plot.line(points, {
        x: "mc",
        y: "b",
        stroke: color,
        strokeWidth: 1.6,
        className: "b-values",
      }),
    ],
  };
}

function goodnessMarks(theme: Theme, { goodness }: CompletenessPlot) {
  const [, , color] = theme.series;
  const points = (goodness.series ?? []).flatMap((fit) =>
    "magnitude" in fit && fit.r !== undefined ? [{ magnitude: fit.magnitude, r: fit.r }] : [],
  );
  const low = Math.min(80, ...points.map(({ r }) => r));
  return {
    y: { domain: [Math.max(0, Math.floor(low / 10) * 10), 100] },
    marks: [
      ...linearAxis(theme, "x", "Magnitude of completeness, Mc"),
      ...linearAxis(theme, "y", "Goodness of fit, R (%)", 5),
      Plot.ruleY([90, 95], {
        stroke: theme.muted,
        strokeDasharray: "2,3",
        className: "thresholds",
      }),
      Plot.line(points, { x: "magnitude", y: "r", stroke: color, strokeWidth: 1.6 }),
      Plot.dot(points, { x: "magnitude", y: "r", r: 2.5, fill: color, className: "fits" }),
    ],
  };
}

function mcMarks(theme: Theme, { completeness: { estimate } }: CompletenessPlot) {
  if (estimate === null) return [];
  return [Plot.ruleX([estimate.mc], dashed(theme, "completeness"))];
}

function legendOf(theme: Theme, answers: CompletenessPlot): LegendItem[] {
  const { estimate, reason, parameters } = answers.completeness;
  const [first, second, third] = theme.series;
  const signs: LegendItem[] = [
    { text: `in bins of ${numberText(widthOf(answers.completeness))}`, sign: "bar", color: second },
    { text: "b with its 95 % band", sign: "band", color: first },
    { text: "R with 90 and 95 %", sign: "line", color: third },
  ];
  if (estimate === null) return [...signs, { text: `no Mc: ${reason}` }];
  const { mc, n } = estimate;
  const atMc = fitsOf(answers.stability).find((fit) => Math.abs(fit.mc - mc) < 1e-9);
  return [
    { text: `Mc = ${numberText(mc)} (${String(parameters["method"])})`, sign: "dashed" },
    ...(atMc === undefined ? [] : [{ text: `b = ${withError(atMc.b, atMc.sigma)}` }]),
    { text: `n = ${numberText(n)}` },
    ...signs,
  ];
}

/** Where magnitudes are taken as they are, their numbers stand in bins of the usual width. */
function widthOf({ parameters }: Pick<CompletenessPlot["completeness"], "parameters">): number {
  return Number(parameters["binWidth"]) || BIN_WIDTH.default;
}

function fitsOf({ series = [] }: CompletenessPlot["stability"]) {
  return series.flatMap((fit) =>
    "mc" in fit && fit.mc !== null && fit.b !== null && fit.sigma !== null && !("start" in fit)
      ? [{ mc: fit.mc, b: fit.b, sigma: fit.sigma }]
      : [],
  );
}

function rangeOf(values: readonly number[], otherwise: [number, number]): [number, number] {
  if (values.length === 0) return otherwise;
  return [Math.min(...values), Math.max(...values)];
}
