import * as Plot from "@observablehq/plot";
import type { getOmori } from "#contracts/http/analytics/statistics.ts";
import { numberText, significant, withError } from "#contracts/plots/numbers.ts";
import {
  type Answer,
  type Caption,
  type LegendItem,
  logAxis,
  logDomain,
  lookOf,
  notesOf,
  pageOf,
  panel,
  type Theme,
} from "./page.ts";

export type OmoriPlot = { readonly omori: Answer<typeof getOmori> };
type OmoriAnswer = OmoriPlot["omori"];

const HEIGHT = 430;
const POINTS = 200;

/** The rate of aftershocks over time, both logarithmic, with Omori and Utsu's law. */
export function drawOmori({ omori: answer }: OmoriPlot, caption: Caption): string {
  const theme = lookOf(caption);
  const [first] = theme.series;
  const { bins = [] } = answer;
  const dots = bins
    .filter(({ count }) => count > 0)
    .map(({ from, to, count, rate }) => ({
      ...{ day: Math.sqrt(from * to), rate },
      // A Poisson number's standard deviation; from one event down to a third.
      low: rate * Math.max(0.3, 1 - 1 / Math.sqrt(count)),
      high: rate * (1 + 1 / Math.sqrt(count)),
    }));
  const from = bins[0]?.from ?? 0.01;
  const to = bins.at(-1)?.to ?? 1;
  const law = lawOf(answer, from, to);
  const rates = [...dots.flatMap(({ low, high }) => [low, high]), ...law.map(({ rate }) => rate)];
  const y = logDomain(rates);
  const x: [number, number] = [from / 1.15, to * 1.15];
  const svg = panel(theme, {
    height: HEIGHT,
    x: { type: "log", domain: x },
    y: { type: "log", domain: y },
    marks: [
      ...logAxis(theme, "x", "Time after the main event (days)", x),
      ...logAxis(theme, "y", "Events per day", y),
      Plot.ruleX(dots, { x: "day", y1: "low", y2: "high", stroke: first, className: "errors" }),
      Plot.line(law, {
        x: "day",
        y: "rate",
        stroke: theme.ink,
        strokeWidth: 1.6,
        className: "law",
      }),
      Plot.dot(dots, {
        ...{ x: "day", y: "rate", r: 3.5, fill: theme.background, stroke: first },
        ...{ strokeWidth: 1.5, className: "bins" },
      }),
    ],
  });
  return pageOf(caption, {
    title: "Decay of aftershocks",
    body: { svg, height: HEIGHT },
    legend: legendOf(theme, answer),
    legendInside: true,
    notes: [...mainEvent(answer), ...notesOf(answer)],
  });
}

function mainEvent({ parameters }: OmoriAnswer): string[] {
  const time = parameters["mainTime"] ?? parameters["mainshock"];
  return time === undefined ? [] : [`main event ${String(time)}`];
}

function lawOf({ estimate }: OmoriAnswer, from: number, to: number) {
  if (estimate === null) return [];
  const { K, c, p } = estimate;
  return Array.from({ length: POINTS + 1 }, (_, i) => {
    const day = from * (to / from) ** (i / POINTS);
    return { day, rate: K * (day + c) ** -p };
  });
}

function legendOf(theme: Theme, { estimate, reason }: OmoriAnswer): LegendItem[] {
  const [first] = theme.series;
  if (estimate === null) return [{ text: `no fit: ${reason}` }];
  const { n, K, sigmaK, c, sigmaC, p, sigmaP, ks } = estimate;
  return [
    { text: "rate ± its standard deviation", sign: "circle", color: first },
    { text: "K (t + c)⁻ᵖ", sign: "line" },
    { text: `K = ${withError(K, sigmaK)}` },
    { text: `c = ${withError(c, sigmaC)} days` },
    { text: `p = ${withError(p, sigmaP)}` },
    { text: `n = ${numberText(n)}, KS ${significant(ks, 2)}` },
  ];
}
