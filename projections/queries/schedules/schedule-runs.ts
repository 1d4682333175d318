import { type CommonQueryMethods, sql } from "slonik";
import type { ImportFailure } from "#contracts/domain-events/catalogue-events.ts";
import type { ImportTally, ImportWindow } from "#contracts/import-run.ts";
import { errorsOf, unmatchedOf } from "../../catalogues/import-rows.ts";

/** A run of a schedule of which the log does not tell. */
export type QuietRun = {
  readonly runId: string;
  readonly scheduleId: string;
  readonly catalogueId: string;
  readonly window: ImportWindow;
  readonly begunAt: string;
  readonly endedAt: string;
  readonly tally: ImportTally;
  /** Null where it did not fail. */
  readonly failure: ImportFailure | null;
};

/** Runs that are kept of each schedule. */
const KEPT = 1_000;

/** Keeps a run for the history, and none but the newest of its schedule. */
export async function keepQuietRun(pool: CommonQueryMethods, run: QuietRun): Promise<void> {
  const { runId, scheduleId, catalogueId, window, begunAt, endedAt, tally, failure } = run;
  const { totalFetched, newEvents, updatedEvents, skippedEvents, elements } = tally;
  const errors = errorsOf(tally, failure);
  await pool.query(sql.unsafe`
    insert into operations.schedule_runs (id, schedule_id, catalogue_id, window_start, window_end,
      start_time, end_time, total_fetched, new_events, updated_events, skipped_events,
      withdrawn_events, withheld, unmatched, errors, elements)
    values (${runId}::uuid, ${scheduleId}::uuid, ${catalogueId}::uuid, ${window.start}, ${window.end},
      ${begunAt}::timestamptz, ${endedAt}::timestamptz, ${totalFetched}, ${newEvents},
      ${updatedEvents}, ${skippedEvents}, ${tally.withdrawnEvents ?? null}, ${tally.withheld ?? null},
      ${unmatchedOf(tally)}::json,
      ${errors && JSON.stringify(errors)}::json,
      ${elements === undefined ? null : JSON.stringify(elements)}::json)
    on conflict (id) do nothing`);
  await pool.query(sql.unsafe`
    delete from operations.schedule_runs where id in (
      select id from operations.schedule_runs where schedule_id = ${scheduleId}::uuid
      order by start_time desc, id desc offset ${KEPT})`);
}
