import { significant, withError } from "#contracts/plots/numbers.ts";
import type { AnswerTo } from "../../api/analysis.ts";
import type { Chart, Drawing, Table } from "../../plots/chart/chart-types.ts";
import { linearOver, rangeOf, type Scale } from "../../plots/chart/scale.ts";
import { count, day, decimal, duration, UNKNOWN } from "../../ui/text/format.ts";

type CompletenessRow = NonNullable<AnswerTo<"completeness">["series"]>[number];
export type Period = Extract<CompletenessRow, { readonly start: string }>;

const YEAR = 365.25 * 86_400_000;

/** Mc and b ± σ of periods, at their middles; unknown ones are gaps. */
export function drawOverTime(
  { series = [] }: Pick<AnswerTo<"completeness">, "series">,
  notes: readonly string[],
): Drawing | null {
  const periods = series.filter((row): row is Period => "start" in row);
  if (periods.length === 0) return null;
  return { chart: chartOfPeriods(periods, notes), table: tableOfPeriods(periods) };
}

function chartOfPeriods(periods: readonly Period[], notes: readonly string[]): Chart {
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

function tableOfPeriods(periods: readonly Period[]): Table {
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

type Answer = Pick<AnswerTo<"moment">, "bins">;

/** Seismic moment by calendar units, and its sum up to the end of each. */
export function drawMoment({ bins = [] }: Answer, notes: readonly string[]): Drawing | null {
  const [first] = bins;
  if (!first) return null;
  const bars = bins.map(
    ({ start, end, moment }) => [Date.parse(start), Date.parse(end), moment] as const,
  );
  const from = Date.parse(first.start);
  const sums = bins.map(({ end, cumulative }) => [Date.parse(end), cumulative] as const);
  return {
    chart: {
      title: "Seismic moment",
      notes,
      x: { kind: "time", from, to: sums.at(-1)?.[0] ?? from + 1, label: "Time, UTC" },
      panels: [
        {
          ...panelOver(
            "N·m",
            bars.map(([, , moment]) => moment),
          ),
          marks: [{ kind: "bars", name: "In each bin", colour: 0, bars }],
        },
        {
          ...panelOver(
            "N·m, sum",
            sums.map(([, sum]) => sum),
          ),
          marks: [
            {
              kind: "line",
              name: "Up to the end of each",
              colour: 1,
              points: [[from, 0], ...sums],
            },
          ],
        },
      ],
    },
    table: tableOfBins(bins),
  };
}

function panelOver(label: string, values: readonly number[]) {
  return { height: 160, y: { ...linearOver(values, { fromZero: true }), label } };
}

function tableOfBins(bins: NonNullable<Answer["bins"]>): Table {
  return {
    label: "Moment by time",
    texts: 1,
    heads: ["From, UTC", "Events", "Moment, N·m", "Sum, N·m"],
    rows: bins.map(({ start, partial, count: n, moment, cumulative }) => [
      partial ? `${day(start)}, in part` : day(start),
      count(n),
      significant(moment, 3),
      significant(cumulative, 3),
    ]),
  };
}

/** Of the logarithm of times between events, as many in each bin; a Poisson process' beside them. */
export function drawInterEvent(
  { bins = [], estimate }: Pick<AnswerTo<"inter-event">, "bins" | "estimate">,
  notes: readonly string[],
): Drawing | null {
  const range = rangeOf(bins.flatMap(({ from, to }) => [from, to]));
  if (range === null || estimate === null) return null;
  const { n, mean } = estimate;
  // Of exponential times with the same mean, so many are from `from` to `to`.
  const poisson = bins.map(
    ({ from, to }) =>
      [Math.sqrt(from * to), n * (Math.exp(-from / mean) - Math.exp(-to / mean))] as const,
  );
  const most = [...bins.map((bin) => bin.count), ...poisson.map(([, expected]) => expected)];
  return {
    chart: {
      title: "Times between events",
      notes,
      x: { kind: "log", from: range[0], to: range[1], label: "Time to the next event, s" },
      panels: [
        {
          height: 280,
          y: { ...linearOver(most, { fromZero: true }), label: "Number" },
          marks: [
            {
              kind: "bars",
              name: "Events",
              colour: 0,
              bars: bins.map((bin) => [bin.from, bin.to, bin.count]),
            },
            {
              kind: "line",
              name: "Poisson process of the same mean",
              colour: 1,
              points: poisson,
            },
          ],
        },
      ],
    },
    table: {
      label: "Times between events",
      texts: 0,
      heads: ["From", "To", "Number"],
      rows: bins.map((bin) => [duration(bin.from), duration(bin.to), count(bin.count)]),
    },
  };
}

/** How many events have each quality Q; the attributes that it is made of by their percentiles. */
export function drawQuality(
  { bins = [], series = [] }: Pick<AnswerTo<"quality">, "bins" | "series">,
  notes: readonly string[],
): Drawing | null {
  if (bins.length === 0) return null;
  const known = (value: number | null) => (value === null ? UNKNOWN : significant(value));
  return {
    chart: {
      title: "Quality Q of the solutions",
      notes,
      x: { kind: "linear", from: 0, to: 101, label: "Q, 0 to 100" },
      panels: [
        {
          height: 260,
          y: {
            ...linearOver(
              bins.map((bin) => bin.count),
              { fromZero: true },
            ),
            label: "Events",
          },
          marks: [{ kind: "bars", colour: 0, bars: bins.map(({ q, count: n }) => [q, q + 1, n]) }],
        },
      ],
    },
    table: {
      label: "Attributes",
      texts: 1,
      heads: ["Attribute", "Known", "Missing", "Zeros", "5 %", "25 %", "Median", "75 %", "95 %"],
      rows: series.map(({ attribute, unit, n, missing, zeros, p05, p25, p50, p75, p95 }) => [
        `${attribute.replaceAll("_", " ")}${unit ? `, ${unit === "deg" ? "°" : unit}` : ""}`,
        count(n),
        count(missing),
        count(zeros),
        ...[p05, p25, p50, p75, p95].map(known),
      ]),
    },
  };
}

type BValueRow = NonNullable<AnswerTo<"b-value">["series"]>[number];
type McFit = Extract<
  BValueRow,
  { readonly mc: number; readonly b: number; readonly sigma: number }
>;

/** Standard errors on each side that hold 95 % of a normal distribution. */
const OF_95_PERCENT = 1.96;

/** b by the magnitude from which events are taken: where it no longer changes, the events are complete. */
export function drawStability(
  { series = [], estimate }: Pick<AnswerTo<"b-value">, "series" | "estimate">,
  notes: readonly string[],
): Drawing | null {
  const fits = series.filter((row): row is McFit => "mc" in row && !("start" in row));
  if (fits.length === 0) return null;
  const band = fits.map(
    ({ mc, b, sigma }) => [mc, b - OF_95_PERCENT * sigma, b + OF_95_PERCENT * sigma] as const,
  );
  const rule = estimate
    ? [{ kind: "rule", name: `Mc ${decimal(estimate.mc, 1)}`, colour: 2, x: estimate.mc } as const]
    : [];
  return {
    chart: {
      title: "b by the magnitude from which events are taken",
      notes,
      x: {
        ...linearOver(fits.map(({ mc }) => mc)),
        label: "Magnitude from which on events are taken",
      },
      panels: [
        {
          height: 280,
          y: { ...linearOver(band.flatMap(([, low, high]) => [low, high])), label: "b" },
          marks: [
            { kind: "band", name: "95 %", colour: 0, points: band },
            {
              kind: "line",
              name: "b",
              colour: 0,
              hasDots: true,
              points: fits.map(({ mc, b }) => [mc, b]),
            },
            ...rule,
          ],
        },
      ],
    },
    table: {
      label: "b for each Mc",
      texts: 0,
      heads: ["Mc", "n", "b ± σ"],
      rows: fits.map(({ mc, n, b, sigma }) => [decimal(mc, 1), count(n), withError(b, sigma)]),
    },
  };
}
