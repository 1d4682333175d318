import type { CalendarUnit } from "#contracts/query/calendar-units.ts";
import { startOfUnit } from "./calendar.ts";
import { calendarBins, type Period } from "./calendar-bins.ts";

export type RateBin = {
  /** Milliseconds since 1970; `end` is the beginning of the next bin. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** Events of this bin and of all before. */
  readonly cumulative: number;
  /** The period covers only a part of the bin, so that its count is no rate of a whole unit. */
  readonly partial: boolean;
};

/** Numbers of events by the beginning of their unit; times are milliseconds since 1970. */
export function countsByUnit(unit: CalendarUnit, times: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) {
    const start = startOfUnit(unit, time);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return counts;
}

/** The number of events of each unit of a period, of empty ones too. */
export function rateBins(
  unit: CalendarUnit,
  counts: ReadonlyMap<number, number>,
  period: Period,
): RateBin[] {
  let cumulative = 0;
  return calendarBins(unit, counts, { period, empty: 0 }).map(({ value: count, ...bin }) => {
    cumulative += count;
    return { ...bin, count, cumulative };
  });
}
