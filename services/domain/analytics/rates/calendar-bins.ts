import { type CalendarUnit, monthStart } from "#contracts/analytics/calendar.ts";
import { DAY_MS } from "#contracts/units.ts";

export type RateBin = Omit<CalendarBin<number>, "value"> & {
  readonly count: number;
  /** Events of this bin and of all before. */
  readonly cumulative: number;
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

/** Both milliseconds since 1970. */
export type Period = { readonly from: number; readonly to: number };

/** A day, week, month or year with what it holds. */
export type CalendarBin<V> = {
  /** Milliseconds since 1970; `end` is the beginning of the next. */
  readonly start: number;
  readonly end: number;
  readonly value: V;
  /** The period covers only a part of it, so that its count is no rate of a whole unit. */
  readonly partial: boolean;
};

/**
 * The units of a period, without a gap: those that hold nothing have `empty`.
 * @param values by the beginning of their unit, none outside the period's units
 */
export function calendarBins<V>(
  unit: CalendarUnit,
  values: ReadonlyMap<number, V>,
  { period, empty }: { readonly period: Period; readonly empty: V },
): CalendarBin<V>[] {
  const bins: CalendarBin<V>[] = [];
  for (let start = startOfUnit(unit, period.from); start <= period.to; ) {
    const end = endOfUnit(unit, start);
    const partial = period.from > start || period.to < end;
    bins.push({ start, end, value: values.get(start) ?? empty, partial });
    start = end;
  }
  return bins;
}

const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The beginning of the unit that holds an instant. Both are milliseconds since 1970. */
export function startOfUnit(unit: CalendarUnit, time: number): number {
  const ms = Math.floor(time);
  switch (unit) {
    case "day":
      return Math.floor(ms / DAY_MS) * DAY_MS;
    case "week":
      return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
    case "month":
      return startOfMonth(ms, 0);
    case "year":
      return monthStart(new Date(ms).getUTCFullYear());
    default:
      return unit satisfies never;
  }
}

/** The beginning of the next unit. */
export function endOfUnit(unit: CalendarUnit, startMs: number): number {
  switch (unit) {
    case "day":
      return startMs + DAY_MS;
    case "week":
      return startMs + WEEK_MS;
    case "month":
      return startOfMonth(startMs, 1);
    case "year":
      return monthStart(new Date(startMs).getUTCFullYear() + 1);
    default:
      return unit satisfies never;
  }
}

/** Of a month some months later. */
function startOfMonth(ms: number, later: number): number {
  const date = new Date(ms);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + later);
}
