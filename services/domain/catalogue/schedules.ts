/** Decisions about schedules, by which a catalogue is imported into again and again. */
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";
import { existing } from "./decide.ts";
import type { CatalogueState } from "./state.ts";

/** Schedules of one catalogue. */
const MAX_SCHEDULES = 100;

export type MakeSchedule = Omit<CatalogueEventData<"ScheduleMade">, "catalogueId">;

/** @throws Refusal NOT_FOUND, CONFLICT for too many */
export function makeSchedule(state: CatalogueState, schedule: MakeSchedule): CatalogueEvent[] {
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
  const before = settingsOf(state, scheduleId);
  const settings = change(before);
  if (JSON.stringify(settings) === JSON.stringify(before)) return [];
  return [{ type: "ScheduleChanged", data: { catalogueId, scheduleId, settings } }];
}

/** @throws Refusal NOT_FOUND */
export function endSchedule(state: CatalogueState, scheduleId: string): CatalogueEvent[] {
  const { catalogueId } = existing(state);
  settingsOf(state, scheduleId);
  return [{ type: "ScheduleEnded", data: { catalogueId, scheduleId } }];
}

/** @throws Refusal NOT_FOUND */
function settingsOf(state: CatalogueState, scheduleId: string): ScheduleSettings {
  const settings = existing(state).schedules.get(scheduleId);
  if (settings === undefined) throw new Refusal("NOT_FOUND", "Schedule not found");
  return settings;
}
