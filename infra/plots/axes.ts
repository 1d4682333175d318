import * as Plot from "@observablehq/plot";
import { frameWidth } from "#contracts/plots/layout.ts";
import { logTicks } from "#contracts/plots/log-ticks.ts";
import { numberText } from "#contracts/plots/number-text.ts";
import type { Theme } from "./theme.ts";

const LABEL = { labelAnchor: "center", labelArrow: "none", tickSize: 5 } as const;

type Side = "x" | "y";

/** Between two ticks across, px, so that their texts do not meet. */
const LEAST_APART = 56;

/** As many ticks as were asked for, or as the plot has room for. */
function fitting({ width }: Theme, side: Side, ticks: number): number {
  return side === "y" ? ticks : Math.min(ticks, Math.floor(frameWidth(width) / LEAST_APART));
}

const OFFSET = { x: 38, y: 58 } as const;

/** An axis with numbers, and the lines of its grid. @param label the quantity and its unit */
export function linearAxis(theme: Theme, side: Side, label: string, ticks = 8): Plot.Markish[] {
  const tickFormat = (value: number) => numberText(value, 6);
  return axisOf(theme, side, { label, ticks: fitting(theme, side, ticks), tickFormat });
}

export function namedAxis(
  theme: Theme,
  side: Side,
  label: string,
  tickFormat: (value: number) => string,
): Plot.Markish[] {
  return axisOf(theme, side, { label, ticks: fitting(theme, side, 7), tickFormat });
}

/** An axis of UTC. */
export function timeAxis(theme: Theme, label: string | null): Plot.Markish[] {
  return axisOf(theme, "x", { label, ticks: fitting(theme, "x", 8) });
}

/** An axis of powers of ten; where there are few of them, their 2- and 5-folds are named too. */
export function logAxis(
  theme: Theme,
  side: Side,
  label: string,
  [low, high]: readonly [low: number, high: number],
): Plot.Markish[] {
  const marks = logTicks(low, high);
  const texts = new Map(marks.map(({ at, text }) => [at, text ?? ""]));
  const ticksOf = (isNamed: boolean) =>
    marks.filter(({ text }) => (text !== null) === isNamed).map(({ at }) => at);
  const tickFormat = (value: number) => texts.get(value) ?? "";
  const small = { ticks: ticksOf(false), tickSize: 3, tickFormat: () => "", label: null };
  return [
    ...axisOf(theme, side, { label, ticks: ticksOf(true), tickFormat }),
    axisMark(side, { ...small, color: theme.ink }),
  ];
}

type AxisOptions = Pick<Plot.AxisXOptions, "label" | "ticks"> & {
  readonly tickFormat?: (value: number) => string;
};

function axisOf({ ink, grid }: Theme, side: Side, options: AxisOptions): Plot.Markish[] {
  const { label, tickFormat, ...ticks } = options;
  const lines = { ...ticks, stroke: grid, strokeOpacity: 1 } as object;
  return [
    side === "x" ? Plot.gridX(lines) : Plot.gridY(lines),
    axisMark(side, { ...LABEL, ...options, color: ink, labelOffset: OFFSET[side] }),
  ];
}

function axisMark(side: Side, options: object): Plot.Markish {
  return side === "x" ? Plot.axisX(options) : Plot.axisY(options);
}

/** The least powers of ten, or of their 2- and 5-folds, around positive values. */
export function logDomain(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  const low = positive.reduce((a, b) => Math.min(a, b));
  const high = positive.reduce((a, b) => Math.max(a, b));
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, to > from ? to : from * 10];
}
