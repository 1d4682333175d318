import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ElementTalliesBody } from "#contracts/element-tallies.ts";
import { ImportRecord } from "#contracts/http/import-history.ts";
import { UnmatchedRow } from "#contracts/unmatched-row.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";

const ImportRow = ImportRecord.extend({
  withdrawn_events: z.int().nullable(),
  withheld: z.int().nullable(),
  unmatched: z.object({ count: z.int(), rows: z.array(UnmatchedRow) }).nullable(),
  elements: ElementTalliesBody.nullable(),
});

const COLUMNS = sql.fragment`
  id, catalogue_id, schedule_id, start_time, end_time, window_start, window_end,
  total_fetched, new_events, updated_events, skipped_events, withdrawn_events, withheld, unmatched,
  errors, elements`;

/**
 * The ended imports into a catalogue, newest first, with those of schedules that the log does not tell of; none for
 * one that is not there for the reader.
 */
export async function listImports(
  pool: CommonQueryMethods,
  catalogueId: string,
  limit: number,
  reader: Reader,
): Promise<readonly ImportRecord[]> {
  const id = sql.fragment`${catalogueId}::uuid`;
  const newest = sql.fragment`order by r.start_time desc, r.id desc limit ${limit}`;
  // The record is written when the run ends.
  const runs = await pool.any(sql.type(ImportRow)`
    select id, catalogue_id, schedule_id, ${isoTimes("start_time", "end_time")},
      window_start, window_end, total_fetched, new_events, updated_events, skipped_events,
      withdrawn_events, withheld, unmatched, errors, ${isoTime("end_time")} as created_at, elements
    from (
      (select ${COLUMNS} from read_model.imports r
        where catalogue_id = ${id} and end_time is not null ${newest})
      union all
      (select ${COLUMNS} from operations.schedule_runs r
        where catalogue_id = ${id}
          and not exists (select from read_model.imports i where i.id = r.id) ${newest})
    ) r
    where exists (select from read_model.catalogues c
      where c.id = r.catalogue_id and ${isThereFor(reader, "c")})
    ${newest}`);
  return runs.map(({ elements, withdrawn_events: withdrawn, withheld, unmatched, ...run }) => ({
    ...run,
    ...(withdrawn !== null && { withdrawn_events: withdrawn }),
    ...(withheld !== null && { withheld }),
    ...(unmatched && { unmatched: unmatched.rows, unmatched_count: unmatched.count }),
    ...(elements && { elements }),
  }));
}
