import { logTicks, numberText, significant } from "#contracts/plots/numbers.ts";
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
