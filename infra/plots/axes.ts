import * as Plot from "@observablehq/plot";
import { numberText, powerOfTen } from "./number-text.ts";
import type { Theme } from "./theme.ts";

const LABEL = { labelAnchor: "center", labelArrow: "none", tickSize: 5 } as const;

type Side = "x" | "y";

const OFFSET = { x: 38, y: 58 } as const;

/** An axis with numbers, and the lines of its grid. @param label the quantity and its unit */
export function linearAxis(theme: Theme, side: Side, label: string, ticks = 8): Plot.Markish[] {
  const tickFormat = (value: number) => numberText(value, 6);
  return axisOf(theme, side, { label, ticks, tickFormat });
}

/** An axis with values that have names of their own. */
export function namedAxis(
  theme: Theme,
  side: Side,
  label: string,
  tickFormat: (value: number) => string,
): Plot.Markish[] {
  return axisOf(theme, side, { label, ticks: 7, tickFormat });
}

/** An axis of UTC. */
export function timeAxis(theme: Theme, label: string | null): Plot.Markish[] {
  return axisOf(theme, "x", { label, ticks: 8 });
}

/** An axis of powers of ten; where there are few of them, their 2- and 5-folds are named too. */
export function logAxis(
  theme: Theme,
  side: Side,
  label: string,
  [low, high]: readonly [low: number, high: number],
): Plot.Markish[] {
  const decades = Math.log10(high / low);
  const named = decades > 2.2 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
  const step = decades > 10 ? Math.ceil(decades / 8) : 1;
  const major: number[] = [];
  const minor: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (let fold = 1; fold < 10; fold++) {
      const value = fold * 10 ** power;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      (named.includes(fold) && power % step === 0 ? major : minor).push(value);
    }
  }
  const isPlain = high <= 10_000 && low >= 0.01;
  const tickFormat = (value: number) => (isPlain ? numberText(value, 4) : multipleText(value));
  const small = { ticks: minor, tickSize: 3, tickFormat: () => "", label: null };
  return [
    ...axisOf(theme, side, { label, ticks: major, tickFormat }),
    axisMark(side, { ...small, color: theme.ink }),
  ];
}

function multipleText(value: number): string {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  const fold = Math.round(value / 10 ** exponent);
  return fold === 1 ? powerOfTen(exponent) : `${fold} · ${powerOfTen(exponent)}`;
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
