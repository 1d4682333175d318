import { type CommonQueryMethods, sql } from "slonik";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type EventRow, LISTED_COLUMNS, toSeismicEvent } from "./event-rows.ts";

/**
 * The events as they were until a version changed or removed them; without those that the read model does
 * not have so.
 */
export async function supersededEvents(
  pool: CommonQueryMethods,
  catalogueId: string,
  version: number,
  ids: readonly string[],
): Promise<Map<string, SeismicEvent>> {
  const rows = (await pool.any(sql.unsafe`
    select ${LISTED_COLUMNS}, bulletin_counts from read_model.seismic_events
    where catalogue_key = (select key from read_model.catalogues where id = ${catalogueId}::uuid)
      and event_id = any(${sql.array([...ids], "uuid")}) and revision_to = ${version}`)) as readonly EventRow[];
  return new Map(rows.map((row) => [row.event_id, toSeismicEvent(row)]));
}
