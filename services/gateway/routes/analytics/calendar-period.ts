import { invalid } from "#contracts/errors.ts";
import type { AnalysisInput } from "#contracts/http/analytics/analytics.ts";
import type { CalendarUnit } from "#contracts/query/calendar-units.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { DAY_MS } from "#contracts/units.ts";
import type { CalendarBin, Period } from "#services/domain/analytics/rates/calendar-bins.ts";

const UNIT_MS: Readonly<Record<CalendarUnit, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  year: 365 * DAY_MS,
};

/** The days of 270 years. */
const MAX_BINS = 100_000;

/**
 * From startTime or the first event to endTime or the last; null where there is neither.
 * @throws Refusal VALIDATION_ERROR for more than 100,000 units
 */
export function periodOf(
  { start, end }: Pick<AnalysisInput, "start" | "end">,
  { startTime, endTime }: EventFilters,
  unit: CalendarUnit,
): Period | null {
  const first = startTime ?? start;
  const last = endTime ?? end;
  if (first === null || last === null) return null;
  const period = { from: timeToMilliseconds(first), to: timeToMilliseconds(last) };
  if ((period.to - period.from) / UNIT_MS[unit] > MAX_BINS) {
    const message = `there would be more than ${MAX_BINS} bins: take a larger unit or less time`;
    throw invalid("bin", message);
  }
  return period;
}

/** The times of a bin as an answer shows them. */
export function timesOf({ start, end }: Pick<CalendarBin<unknown>, "start" | "end">): {
  start: string;
  end: string;
} {
  return { start: isoSeconds(start), end: isoSeconds(end) };
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
