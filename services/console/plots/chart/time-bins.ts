import { decimalYear, monthStart } from "#contracts/analytics/calendar.ts";
import { DAY_MS } from "#contracts/units.ts";

/** Equal parts of a stretch of time, and how many events each has. */
export type TimeBins = {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly counts: Uint32Array;
};

/** The stretch from the first to the last time, of at least a day around a single one. */
export function stretchOf(time: Float64Array): readonly [from: number, to: number] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const at of time) {
    if (at < from) from = at;
    if (at > to) to = at;
  }
  if (from > to) return [0, DAY_MS];
  return to - from < DAY_MS / 24 ? [from - DAY_MS / 2, to + DAY_MS / 2] : [from, to];
}

/** Counts events in equal bins; the last bin has its end too. */
export function timeBins(
  time: Float64Array,
  indexes: Uint32Array | null,
  [from, to]: readonly [from: number, to: number],
  bins: number,
): TimeBins {
  const counts = new Uint32Array(bins);
  const events = indexes ? indexes.length : time.length;
  const perBin = (to - from) / bins;
  for (let n = 0; n < events; n++) {
    const at = time[indexes ? (indexes[n] ?? 0) : n] ?? 0;
    if (at < from || at > to) continue;
    const bin = Math.min(bins - 1, Math.floor((at - from) / perBin));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { from, to, counts };
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
