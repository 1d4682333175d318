/** Decisions about schedules, by which a catalogue is imported into again and again. */

import { invalid, Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent, CatalogueEventData } from "#contracts/events/catalogues.ts";
import {
  ImportFilters,
  type ImportWindow,
  ScheduleSettings,
  type TableReading,
} from "#contracts/events/imports.ts";
import {
  type CreateScheduleBody,
  FILTER_PAIRS,
  type UpdateScheduleBody,
} from "#contracts/http/imports.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contracts/units.ts";
import { type CatalogueState, existing } from "../catalogues/catalogue.ts";

/** Schedules of one catalogue. */
const MAX_SCHEDULES = 100;

/** @throws Refusal NOT_FOUND, CONFLICT for too many */
export function makeSchedule(
  state: CatalogueState,
  schedule: Omit<CatalogueEventData<"ScheduleMade">, "catalogueId">,
): CatalogueEvent[] {
  const { catalogueId, schedules } = existing(state);
  if (schedules.size >= MAX_SCHEDULES) {
    throw new Refusal("CONFLICT", `The catalogue has ${MAX_SCHEDULES} schedules already`);
  }
  return [{ type: "ScheduleMade", data: { catalogueId, ...schedule } }];
}

/**
 * Nothing where the settings stay as they are.
 * @param change the settings from the present ones
 * @throws Refusal NOT_FOUND; refusals of `change`
 */
export function changeSchedule(
  state: CatalogueState,
  scheduleId: string,
  change: (settings: ScheduleSettings) => ScheduleSettings,
): CatalogueEvent[] {
  const { catalogueId } = existing(state);
  const before = presentSettings(state, scheduleId);
  const settings = change(before);
  if (JSON.stringify(settings) === JSON.stringify(before)) return [];
  return [{ type: "ScheduleChanged", data: { catalogueId, scheduleId, settings } }];
}

/** @throws Refusal NOT_FOUND */
export function endSchedule(state: CatalogueState, scheduleId: string): CatalogueEvent[] {
  const { catalogueId } = existing(state);
  presentSettings(state, scheduleId);
  return [{ type: "ScheduleEnded", data: { catalogueId, scheduleId } }];
}

/** @throws Refusal NOT_FOUND */
function presentSettings(state: CatalogueState, scheduleId: string): ScheduleSettings {
  const settings = existing(state).schedules.get(scheduleId);
  if (settings === undefined) throw new Refusal("NOT_FOUND", "Schedule not found");
  return settings;
}

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

/** How much earlier than the last run an agency is asked for what it changed: clocks differ, and answers age. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** What earlier runs have left. */
export type KnownOfRuns = {
  /** Whether the rest stands for the present settings and the agency's present address. */
  readonly isValid: boolean;
  /** When the last run began that was answered; ISO 8601 UTC. */
  readonly lastAsked: string | null;
  /** The same, of one that asked for the whole window. */
  readonly lastAskedWhole: string | null;
  readonly known: Uint8Array | null;
};

/** The window of a run: it ends now. */
export function windowOf({ lookbackHours }: ScheduleSettings, now: Date): ImportWindow {
  const start = new Date(now.getTime() - lookbackHours * HOUR_MS);
  return { start: start.toISOString(), end: now.toISOString() };
}

/**
 * A run asks for what changed since the last one that was answered, and for the whole window once a day; everything
 * in the window is asked for in the detail of the settings (`isThorough`) where nothing is known by the present ones.
 */
export function planRun(before: KnownOfRuns, now: Date) {
  const { isValid, lastAsked, lastAskedWhole, known } = before;
  if (!isValid) return { updatedAfter: null, isThorough: true, known: null };
  const isWholeDue =
    lastAskedWhole === null || now.getTime() - Date.parse(lastAskedWhole) >= DAY_MS;
  const since = isWholeDue || lastAsked === null ? null : Date.parse(lastAsked) - OVERLAP_MS;
  const updatedAfter = since === null ? null : new Date(since).toISOString();
  return { updatedAfter, isThorough: false, known };
}
