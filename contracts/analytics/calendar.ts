/** Units of the calendar in UTC by which events are counted; weeks are those of ISO 8601, from Monday. */
export const CALENDAR_UNITS = ["day", "week", "month", "year"] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/**
 * The beginning of a month of a year in UTC, in milliseconds since 1970; months count from 0, also beyond a year.
 * `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
 */
export function monthStart(year: number, month = 0): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

/** A time in ms since 1970 as a number of years: the beginning of 2022 is 2022, however long the years before. */
export function decimalYear(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  const start = monthStart(year);
  return year + (ms - start) / (monthStart(year + 1) - start);
}
