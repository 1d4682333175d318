import { invalid } from "#contracts/errors.ts";
import { FILTER_PAIRS } from "#contracts/http/imports.ts";
import type { CreateScheduleBody, UpdateScheduleBody } from "#contracts/http/schedules.ts";
import { ImportFilters } from "#contracts/import-run.ts";
import type { ScheduleSettings, TableReading } from "#contracts/schedule.ts";

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
  join,
  columns,
  ...filters
}: CreateScheduleBody): ScheduleSettings {
  const how = { detail, updateExisting, withdrawn, push, ...given({ join, columns }) };
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
  const table = given({
    join: body.join === undefined ? before.join : (body.join ?? undefined),
    columns: body.columns === undefined ? before.columns : (body.columns ?? undefined),
  });
  return { agency, everyMinutes, lookbackHours, filters, ...how, ...table, pausedBecause };
}

/**
 * The same settings, where they go together with what their agency is.
 * @throws Refusal VALIDATION_ERROR for what is said of a table where the agency is none
 */
export function requireTable<T extends TableReading>(settings: T, isTable: boolean): T {
  const { join, columns } = settings;
  if (isTable) return settings;
  if (join !== undefined) throw invalid("join", "goes with an agency of dialect table");
  if (columns !== undefined) throw invalid("columns", "go with an agency of dialect table");
  return settings;
}

/** What settings say of a table. */
export function tableOf({ join, columns }: ScheduleSettings): TableReading {
  return given({ join, columns });
}

/** The members that are there. */
function given<T extends object>(body: T): Partial<T> {
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Partial<T>;
}
