import { Refusal } from "#contracts/errors.ts";
import type { ImportWindow } from "#contracts/import-run.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { HOUR_MS } from "#contracts/units.ts";

const DEFAULT_HOURS = 24;

export type WindowWanted = {
  readonly hours?: number | undefined;
  /** ISO 8601 UTC, canonical. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
};

/**
 * The window of an import: from a start to an end, by default now; or the last hours, by default 24.
 * @throws Refusal VALIDATION_ERROR for a start in the future
 */
export function importWindow(
  { hours = DEFAULT_HOURS, startDate, endDate }: WindowWanted,
  now: Date,
): ImportWindow {
  const end = endDate ?? now.toISOString();
  if (startDate === undefined) {
    return { start: new Date(now.getTime() - hours * HOUR_MS).toISOString(), end };
  }
  if (compareTimes(startDate, end) > 0)
    throw new Refusal("VALIDATION_ERROR", "startDate: is in the future");
  return { start: startDate, end };
}
