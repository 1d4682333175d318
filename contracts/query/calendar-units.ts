/** Units of the calendar in UTC by which events are counted; weeks are those of ISO 8601, from Monday. */
export const CALENDAR_UNITS = ["day", "week", "month", "year"] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];
