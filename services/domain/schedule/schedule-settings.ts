import { invalid } from "#contracts/errors.ts";
import { FILTER_PAIRS } from "#contracts/http/imports.ts";
import type { CreateScheduleBody, UpdateScheduleBody } from "#contracts/http/schedules.ts";
import { ImportFilters } from "#contracts/import-run.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";

/** The settings of a new schedule, which runs. */
export function settingsOf({
  catalogueId: _,
  agency,
  everyMinutes,
  lookbackHours,
  detail,
  updateExisting,
  withdrawn,
  push,
  ...filters
}: CreateScheduleBody): ScheduleSettings {
  const how = { detail, updateExisting, withdrawn, push };
  const runs = { paused: false, pausedBecause: null };
  return { agency, everyMinutes, lookbackHours, filters, ...how, ...runs };
}

/**
 * Settings with what a request says otherwise. Whoever resumes a schedule also resumes one that the service paused.
 * @throws Refusal VALIDATION_ERROR where a bound is above its other one then
 */
export function withChanges(before: ScheduleSettings, body: UpdateScheduleBody): ScheduleSettings {
  const filters = ImportFilters.parse({ ...before.filters, ...given(body) });
  for (const [low, high] of FILTER_PAIRS) {
    const [least, most] = [filters[low], filters[high]];
    if (least !== null && most !== null && least > most) throw invalid(low, `is above ${high}`);
  }
  const {
    agency = before.agency,
    everyMinutes = before.everyMinutes,
    lookbackHours = before.lookbackHours,
    detail = before.detail,
    updateExisting = before.updateExisting,
    withdrawn = before.withdrawn,
    push = before.push,
    paused = before.paused,
  } = body;
  const how = { detail, updateExisting, withdrawn, push, paused };
  const pausedBecause = paused ? before.pausedBecause : null;
  return { agency, everyMinutes, lookbackHours, filters, ...how, pausedBecause };
}

/** The members that are there. */
function given(body: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
