import { type Axis, type Chart, type Mark, type Point, panelOf } from "#contracts/plots/chart.ts";
import { significant, withError } from "#contracts/plots/numbers.ts";
import { linearOver, rangeOf } from "#contracts/plots/scale.ts";
import type { AnswerTo } from "../../api/analysis.ts";
import type { Drawing } from "../../plots/chart.tsx";
import { count, day, decimal, duration, UNKNOWN } from "../../ui/text/format.ts";

type CompletenessRow = NonNullable<AnswerTo<"completeness">["series"]>[number];
type Period = Extract<CompletenessRow, { readonly start: string }>;

/** Mc and b ± σ of periods, at their middles; unknown ones are gaps. */
export function drawOverTime(
  { series = [] }: Pick<AnswerTo<"completeness">, "series">,
  notes: readonly string[],
): Drawing | null {
  const periods = series.filter((row): row is Period => "start" in row);
  const times = periods.flatMap(({ start, end }) => [Date.parse(start), Date.parse(end)]);
  const [from, to] = rangeOf(times) ?? [];
  if (from === undefined || to === undefined) return null;
  const by = (value: (period: Period) => number | null) =>
    periods.map((one): Point => [(Date.parse(one.start) + Date.parse(one.end)) / 2, value(one)]);
  const off = (b: number | null, sigma: number | null) =>
    b === null || sigma === null ? null : b + sigma;
  const low = by(({ b, sigma }) => off(b, sigma === null ? null : -sigma));
  const high = by(({ b, sigma }) => off(b, sigma));
  const band = low.map(([x, y], i) => [x, y, high[i]?.[1] ?? null] as const);
  const line = { kind: "line", hasDots: true } as const;
  return {
    chart: {
      title: "Magnitude of completeness and b over time",
      x: { kind: "time", from, to: Math.max(to, from + 1), label: "Middle of the period, UTC" },
      notes,
      panels: [
        panelOf("Mc", 150, { ...line, name: "Mc", colour: 0, points: by(({ mc }) => mc) }),
        panelOf(
          "b",
          190,
          { kind: "band", name: "± σ", colour: 1, points: band },
          { ...line, name: "b", colour: 1, points: by(({ b }) => b) },
        ),
      ],
    },
    table: {
      label: "Periods",
      texts: 2,
      heads: ["From, UTC", "To, UTC", "n", "Mc", "b ± σ"],
      rows: periods.map(({ start, end, n, mc, b, sigma }) => [
        ...[day(start), day(end), count(n), decimal(mc, 1)],
        b === null ? UNKNOWN : withError(b, sigma),
      ]),
    },
  };
}

/** Seismic moment by calendar units, and its sum up to the end of each. */
export function drawMoment(
  { bins = [] }: Pick<AnswerTo<"moment">, "bins">,
  notes: readonly string[],
): Drawing | null {
  const [first] = bins;
  if (!first) return null;
  const from = Date.parse(first.start);
  const sums = bins.map(({ end, cumulative }): Point => [Date.parse(end), cumulative]);
  const bars = bins.map(
    ({ start, end, moment }) => [Date.parse(start), Date.parse(end), moment] as const,
  );
  const points: readonly Point[] = [[from, 0], ...sums];
  return {
    chart: {
      title: "Seismic moment",
      notes,
      x: { kind: "time", from, to: sums.at(-1)?.[0] ?? from + 1, label: "Time, UTC" },
      panels: [
        panelOf("N·m", 160, { kind: "bars", name: "In each bin", colour: 0, bars }),
        panelOf("N·m, sum", 160, {
          ...{ kind: "line", name: "Up to the end of each", colour: 1, points },
        }),
      ],
    },
    table: {
      label: "Moment by time",
      texts: 1,
      heads: ["From, UTC", "Events", "Moment, N·m", "Sum, N·m"],
      rows: bins.map(({ start, partial, count: n, moment, cumulative }) => [
        partial ? `${day(start)}, in part` : day(start),
        ...[count(n), significant(moment, 3), significant(cumulative, 3)],
      ]),
    },
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
  const points = bins.map(({ from, to }): Point => {
    return [Math.sqrt(from * to), n * (Math.exp(-from / mean) - Math.exp(-to / mean))];
  });
  const bars = bins.map((bin) => [bin.from, bin.to, bin.count] as const);
  const label = "Times between events";
  return {
    chart: {
      title: label,
      notes,
      x: { kind: "log", from: range[0], to: range[1], label: "Time to the next event, s" },
      panels: [
        panelOf(
          "Number",
          280,
          { kind: "bars", name: "Events", colour: 0, bars },
          { kind: "line", name: "Poisson process of the same mean", colour: 1, points },
        ),
      ],
    },
    table: {
      ...{ label, texts: 0, heads: ["From", "To", "Number"] },
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
  const bars = bins.map(({ q, count: n }) => [q, q + 1, n] as const);
  const x: Axis = { kind: "linear", from: 0, to: 101, label: "Q, 0 to 100" };
  const panels = [panelOf("Events", 260, { kind: "bars", colour: 0, bars })];
  return {
    chart: { title: "Quality Q of the solutions", notes, x, panels },
    table: {
      label: "Attributes",
      texts: 1,
      heads: ["Attribute", "Known", "Missing", "Zeros", "5 %", "25 %", "Median", "75 %", "95 %"],
      rows: series.map(({ attribute, unit, n, missing, zeros, p05, p25, p50, p75, p95 }) => [
        `${attribute.replaceAll("_", " ")}${unit ? `, ${unit === "deg" ? "°" : unit}` : ""}`,
        ...[count(n), count(missing), count(zeros)],
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
  const band = fits.map(({ mc, b, sigma }) => {
    return [mc, b - OF_95_PERCENT * sigma, b + OF_95_PERCENT * sigma] as const;
  });
  const points = fits.map(({ mc, b }): Point => [mc, b]);
  const rule: readonly Mark[] = estimate
    ? [{ kind: "rule", name: `Mc ${decimal(estimate.mc, 1)}`, colour: 2, x: estimate.mc }]
    : [];
  const chart: Chart = {
    title: "b by the magnitude from which events are taken",
    notes,
    x: {
      ...linearOver(fits.map(({ mc }) => mc)),
      label: "Magnitude from which on events are taken",
    },
    panels: [
      panelOf(
        "b",
        280,
        { kind: "band", name: "95 %", colour: 0, points: band },
        { kind: "line", name: "b", colour: 0, hasDots: true, points },
        ...rule,
      ),
    ],
  };
  return {
    chart,
    table: {
      ...{ label: "b for each Mc", texts: 0, heads: ["Mc", "n", "b ± σ"] },
      rows: fits.map(({ mc, n, b, sigma }) => [decimal(mc, 1), count(n), withError(b, sigma)]),
    },
  };
}
