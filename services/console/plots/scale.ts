import { MINUS } from "../ui/text/format.ts";
import { powerOfTen, significant } from "../ui/text/significant.ts";
import { niceTicks } from "./ticks.ts";
import { timeTicks } from "./time-bins.ts";

/** How values lie along an axis: times are milliseconds since 1970. `from` above `to` turns it around. */
export type Scale = {
  readonly kind: "linear" | "log" | "time";
  readonly from: number;
  readonly to: number;
};

type Tick = { readonly at: number; readonly label: string };

/** Where a value lies, 0 at the axis' beginning and 1 at its end. */
export function placeOn({ kind, from, to }: Scale, value: number): number {
  if (kind !== "log") return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}

/** Marks at round values, at most about `most` of them. */
export function ticksOn({ kind, from, to }: Scale, most: number): readonly Tick[] {
  const [least, greatest] = [Math.min(from, to), Math.max(from, to)];
  if (kind === "time") return timeTicks(least, greatest, most);
  if (kind === "log") return logTicks(least, greatest, most);
  return niceTicks(least, greatest, most).map((at) => ({ at, label: numberLabel(at) }));
}

/** Powers of ten, of many only some; of few also twice and five times them. */
function logTicks(least: number, greatest: number, most: number): readonly Tick[] {
  // Of 1000 the logarithm is 2.9999999999999996.
  const [first, last] = [
    Math.ceil(Math.log10(least) - 1e-9),
    Math.floor(Math.log10(greatest) + 1e-9),
  ];
  const decades = Math.max(1, last - first + 1);
  const factors = decades * 3 <= most ? [1, 2, 5] : [1];
  const step = Math.ceil(decades / most);
  const ticks: Tick[] = [];
  for (let power = first - 1; power <= last; power++) {
    if ((power - first) % step !== 0) continue;
    for (const factor of factors) {
      const at = factor * 10 ** power;
      if (at < least * (1 - 1e-9) || at > greatest * (1 + 1e-9)) continue;
      ticks.push({
        at,
        label: factor === 1 && Math.abs(power) > 4 ? powerOfTen(power) : significant(at, 2),
      });
    }
  }
  return ticks;
}

function numberLabel(value: number): string {
  if (Math.abs(value) >= 1e6) return significant(value, 3);
  return value.toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", MINUS);
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
