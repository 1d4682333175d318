import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows of the table schedules: one per schedule that has not been ended. */
export async function insertSchedule(
  transaction: Transaction,
  { catalogueId, scheduleId, maker, settings }: CatalogueEventData<"ScheduleMade">,
  at: string,
): Promise<void> {
  const { agency, everyMinutes, paused, filters } = settings;
  await transaction.run(sql.unsafe`
    insert into schedules (id, catalogue_id, maker, agency, every_minutes, paused, region, settings,
      created_at, updated_at)
    values (${scheduleId}, ${catalogueId}, ${maker}, ${agency}, ${everyMinutes}, ${paused},
      ${filters.region ?? null}, ${JSON.stringify(settings)}, ${at}, ${at})`);
}

export async function updateSchedule(
  transaction: Transaction,
  { scheduleId, settings }: CatalogueEventData<"ScheduleChanged">,
  at: string,
): Promise<void> {
  const { agency, everyMinutes, paused, filters } = settings;
  await transaction.run(sql.unsafe`
    update schedules set agency = ${agency}, every_minutes = ${everyMinutes}, paused = ${paused},
      region = ${filters.region ?? null}, settings = ${JSON.stringify(settings)}, updated_at = ${at}
    where id = ${scheduleId}`);
}

export async function deleteSchedule(transaction: Transaction, scheduleId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from schedules where id = ${scheduleId}`);
}

export async function deleteSchedules(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  await transaction.run(sql.unsafe`delete from schedules where catalogue_id = ${catalogueId}`);
}
