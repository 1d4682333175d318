import { decimalYear, monthStart } from "../analytics/calendar.ts";
import { DAY_MS } from "../units.ts";
import { logTicks, numberText, significant } from "./numbers.ts";

/** How values lie along an axis: times are milliseconds since 1970. `from` above `to` turns it around. */
export type Scale = {
  readonly kind: "linear" | "log" | "time";
  readonly from: number;
  readonly to: number;
};

/** Where a value lies, 0 at the axis' beginning and 1 at its end. */
export function placeOn({ kind, from, to }: Scale, value: number): number {
  if (kind !== "log") return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}

/** Marks at round values, at most about `most` of them where it is no axis of powers of ten. */
export function ticksOn({ kind, from, to }: Scale, most: number): readonly Tick[] {
  const [least, greatest] = [Math.min(from, to), Math.max(from, to)];
  if (kind === "time") return timeTicks(least, greatest, most);
  if (kind === "log") {
    return logTicks(least, greatest).flatMap(({ at, text }) =>
      text === null ? [] : [{ at, label: text }],
    );
  }
  return niceTicks(least, greatest, most).map((at) => ({ at, label: numberLabel(at) }));
}

function numberLabel(value: number): string {
  return Math.abs(value) >= 1e6 ? significant(value, 3) : numberText(value, 6);
}

/** The least and the greatest of the known values; null without any. */
export function rangeOf(values: Iterable<number | null>): readonly [number, number] | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null || Number.isNaN(value)) continue;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least > greatest ? null : [least, greatest];
}

/** An axis of all the values, with some room at both ends; from 0 where this is asked for. */
export function linearOver(values: Iterable<number | null>, { fromZero = false } = {}): Scale {
  const [least, greatest] = rangeOf(values) ?? [0, 1];
  const from = fromZero ? Math.min(0, least) : least;
  const room = (greatest - from || Math.abs(greatest) || 1) * 0.06;
  return { kind: "linear", from: fromZero ? from : from - room, to: greatest + room };
}

/** Round numbers from `from` to `to`, at most about `most` of them: steps of 1, 2 or 5 and powers of ten. */
export function niceTicks(from: number, to: number, most: number): readonly number[] {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const ticks: number[] = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) {
    ticks.push(Number((n * step).toFixed(digits)) + 0);
  }
  return ticks;
}

const STEPS: readonly (readonly [ms: number, digits: number])[] = [
  [3_652.425 * DAY_MS * 5, 4],
  [3_652.425 * DAY_MS * 2, 4],
  [3_652.425 * DAY_MS, 4],
  [365.2425 * DAY_MS * 5, 4],
  [365.2425 * DAY_MS * 2, 4],
  [365.2425 * DAY_MS, 4],
  [30.44 * DAY_MS * 6, 7],
  [30.44 * DAY_MS * 3, 7],
  [30.44 * DAY_MS, 7],
  [7 * DAY_MS, 10],
  [DAY_MS, 10],
  [DAY_MS / 4, 16],
  [DAY_MS / 24, 16],
];

export type Tick = { readonly at: number; readonly label: string };

/** Marks of an axis of time, at round UTC years, months, days or hours. */
export function timeTicks(from: number, to: number, most: number): readonly Tick[] {
  const [step, digits] =
    STEPS.findLast(([ms]) => (to - from) / ms <= most) ?? STEPS[0] ?? ([DAY_MS, 10] as const);
  const ticks: Tick[] = [];
  for (let at = roundUp(from, step); at <= to; at = roundUp(at + 1, step)) {
    ticks.push({ at, label: new Date(at).toISOString().slice(0, digits).replace("T", " ") });
  }
  return ticks;
}

/** The first round time from `at` on. */
function roundUp(at: number, step: number): number {
  const date = new Date(at);
  if (step >= 360 * DAY_MS) {
    const years = Math.round(step / (365.2425 * DAY_MS));
    const year = Math.ceil(decimalYear(at) / years) * years;
    return monthStart(year);
  }
  if (step >= 28 * DAY_MS) {
    const months = Math.round(step / (30.44 * DAY_MS));
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
    const begun = at > monthStart(date.getUTCFullYear(), date.getUTCMonth()) ? month + 1 : month;
    const round = Math.ceil(begun / months) * months;
    return monthStart(0, round);
  }
  // Never −0.
  return Math.ceil(at / step) * step + 0;
}

/** To a tenth of a pixel, and never −0. */
export function px(value: number): number {
  return Number(value.toFixed(1)) + 0;
}

/** Bars from their ground up, with a small space of at most so many pixels between them. */
export function barsPath(
  bars: readonly (readonly [from: number, to: number, top: number, ground: number])[],
  most: number,
): string {
  return bars
    .filter(([, , top, ground]) => top !== ground)
    .map(([from, to, top, ground]) => {
      const space = Math.min(most, (to - from) * 0.1);
      return `M${px(from)} ${px(ground)}V${px(top)}H${px(to - space)}V${px(ground)}Z`;
    })
    .join("");
}
