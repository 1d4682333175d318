import type { CalendarUnit } from "#contracts/query/calendar-units.ts";
import { endOfUnit, startOfUnit } from "./calendar.ts";

/** Both milliseconds since 1970. */
export type Period = { readonly from: number; readonly to: number };

/** A day, week, month or year with what it holds. */
export type CalendarBin<V> = {
  /** Milliseconds since 1970; `end` is the beginning of the next. */
  readonly start: number;
  readonly end: number;
  readonly value: V;
  /** The period covers only a part of it. */
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
