import { invalid } from "#contracts/errors.ts";
import { FILTER_PAIRS } from "#contracts/http/imports.ts";
import type { CreateScheduleBody, UpdateScheduleBody } from "#contracts/http/schedules.ts";
import { ImportFilters } from "#contracts/import-run.ts";
import { ScheduleSettings, type TableReading } from "#contracts/schedule.ts";

/** The settings of a new schedule, which runs. */
export function settingsOf(body: CreateScheduleBody): ScheduleSettings {
  const filters = ImportFilters.parse(body);
  return ScheduleSettings.parse({ ...body, filters, paused: false, pausedBecause: null });
}

/**
 * Settings with what a request says otherwise. Whoever resumes a schedule also resumes one that the service paused.
 * @throws Refusal VALIDATION_ERROR where a bound is above its other one then
 */
export function withChanges(before: ScheduleSettings, body: UpdateScheduleBody): ScheduleSettings {
  const changes = given(body);
  const filters = ImportFilters.parse({ ...before.filters, ...changes });
  for (const [low, high] of FILTER_PAIRS) {
    const [least, most] = [filters[low], filters[high]];
    if (least !== null && most !== null && least > most) throw invalid(low, `is above ${high}`);
  }
  const { join, columns, ...others } = { ...before, ...changes, filters };
  const table = given({ join: join ?? undefined, columns: columns ?? undefined });
  const settings = ScheduleSettings.parse({ ...others, ...table });
  return settings.paused ? settings : { ...settings, pausedBecause: null };
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
