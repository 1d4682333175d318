import { type CalendarUnit, monthStart } from "#contracts/query/calendar-units.ts";
import { DAY_MS } from "#contracts/units.ts";

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
      return startOfYear(ms, 0);
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
      return startOfYear(startMs, 1);
    default:
      return unit satisfies never;
  }
}

function startOfMonth(ms: number, later: number): number {
  const date = new Date(ms);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + later);
}

function startOfYear(ms: number, later: number): number {
  return monthStart(new Date(ms).getUTCFullYear() + later);
}
