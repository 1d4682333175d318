import { withError } from "#contracts/plots/numbers.ts";
import type { AnswerTo } from "../../../api/analysis.ts";
import type { Chart } from "../../../plots/chart/chart-types.ts";
import type { Drawing, Table } from "../../../plots/chart/drawing.ts";
import { linearOver, rangeOf, type Scale } from "../../../plots/chart/scale.ts";
import { count, day, decimal, UNKNOWN } from "../../../ui/text/format.ts";

type Row = NonNullable<AnswerTo<"completeness">["series"]>[number];
export type Period = Extract<Row, { readonly start: string }>;

const YEAR = 365.25 * 86_400_000;

/** Mc and b ± σ of periods, at their middles; unknown ones are gaps. */
export function drawOverTime(
  { series = [] }: Pick<AnswerTo<"completeness">, "series">,
  notes: readonly string[],
): Drawing | null {
  const periods = series.filter((row): row is Period => "start" in row);
  if (periods.length === 0) return null;
  return { chart: chartOf(periods, notes), table: tableOf(periods) };
}

function chartOf(periods: readonly Period[], notes: readonly string[]): Chart {
  const middle = ({ start, end }: Period) => (Date.parse(start) + Date.parse(end)) / 2;
  const b = periods.map((one) => [middle(one), one.b] as const);
  const band = periods.map(({ b, sigma, ...one }) => {
    const known = b !== null && sigma !== null;
    return [
      middle({ ...one, b, sigma }),
      known ? b - sigma : null,
      known ? b + sigma : null,
    ] as const;
  });
  return {
    title: "Magnitude of completeness and b over time",
    x: { ...stretchOf(periods), label: "Middle of the period, UTC" },
    notes,
    panels: [
      {
        height: 150,
        y: { ...linearOver(periods.map(({ mc }) => mc)), label: "Mc" },
        marks: [
          {
            kind: "line",
            name: "Mc",
            colour: 0,
            hasDots: true,
            points: periods.map((one) => [middle(one), one.mc]),
          },
        ],
      },
      {
        height: 190,
        y: { ...linearOver(band.flatMap(([, low, high]) => [low, high])), label: "b" },
        marks: [
          { kind: "band", name: "± σ", colour: 1, points: band },
          { kind: "line", name: "b", colour: 1, hasDots: true, points: b },
        ],
      },
    ],
  };
}

function stretchOf(periods: readonly Period[]): Scale {
  const times = periods.flatMap(({ start, end }) => [Date.parse(start), Date.parse(end)]);
  const [from, to] = rangeOf(times) ?? [0, YEAR];
  return { kind: "time", from, to: Math.max(to, from + 1) };
}

function tableOf(periods: readonly Period[]): Table {
  return {
    label: "Periods",
    texts: 2,
    heads: ["From, UTC", "To, UTC", "n", "Mc", "b ± σ"],
    rows: periods.map(({ start, end, n, mc, b, sigma }) => [
      day(start),
      day(end),
      count(n),
      decimal(mc, 1),
      b === null ? UNKNOWN : withError(b, sigma),
    ]),
  };
}
