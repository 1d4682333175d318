import { type CommonQueryMethods, sql } from "slonik";
import { ImportRecord } from "#contracts/http/imports.ts";
import { isoMilliseconds } from "./sql-values.ts";

/** The ended imports into a catalogue, newest first; none for an unknown catalogue. */
export function listImports(
  pool: CommonQueryMethods,
  catalogueId: string,
  limit: number,
): Promise<readonly ImportRecord[]> {
  // The record is written when the run ends.
  return pool.any(sql.type(ImportRecord)`
    select id, catalogue_id, ${isoMilliseconds("start_time")}, ${isoMilliseconds("end_time")},
      window_start, window_end, total_fetched, new_events, updated_events, skipped_events, errors,
      to_char(end_time, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from read_model.imports i
    where catalogue_id = ${catalogueId}::uuid and end_time is not null
    order by i.start_time desc, i.id desc
    limit ${limit}`);
}
