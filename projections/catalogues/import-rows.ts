/**
 * Rows of runs of imports: of those of the log, and of those of schedules of which it does not
 * tell.
 */

import { type CommonQueryMethods, sql } from "slonik";
import { agencySlug } from "#contracts/events/agencies.ts";
import type {
  CatalogueEvent,
  CatalogueEventData,
  ImportFailure,
} from "#contracts/events/catalogues.ts";
import type { ImportError, ImportTally, ImportWindow } from "#contracts/events/imports.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows of the table imports: one per run. A deleted catalogue has no history. */
export async function insertImport(
  transaction: Transaction,
  { importId, catalogueId, revision, window, ...run }: CatalogueEventData<"ImportStarted">,
  at: string,
): Promise<void> {
  const agencyId = run.agencyId ?? agencySlug(run.agency);
  await transaction.run(sql.unsafe`
    insert into imports (id, catalogue_id, schedule_id, revision, agency_id, window_start, window_end,
      start_time)
    values (${importId}, ${catalogueId}, ${run.scheduleId ?? null}, ${revision}, ${agencyId},
      ${window.start}, ${window.end}, ${run.begunAt ?? at})`);
}

export async function endImport(
  transaction: Transaction,
  { type, data }: Extract<CatalogueEvent, { type: "ImportCompleted" | "ImportFailed" }>,
  at: string,
): Promise<void> {
  const { importId, tally } = data;
  const { totalFetched, newEvents, updatedEvents, skippedEvents, elements } = tally;
  const { withdrawnEvents = null, withheld = null } = tally;
  const errors = errorsOf(tally, type === "ImportFailed" ? data.failure : null);
  const ended = await transaction.run(sql.unsafe`
    update imports set end_time = ${at}, total_fetched = ${totalFetched}, new_events = ${newEvents},
      updated_events = ${updatedEvents}, skipped_events = ${skippedEvents},
      withdrawn_events = ${withdrawnEvents}, withheld = ${withheld},
      unmatched = ${unmatchedOf(tally)},
      errors = ${errors && JSON.stringify(errors)},
      elements = ${elements === undefined ? null : JSON.stringify(elements)}
    where id = ${importId}`);
  if (ended !== 1) throw new Error(`no row of import ${importId}`);
}

/** What a run has matched with no event, as it is stored. */
function unmatchedOf({ unmatched, unmatchedCount }: ImportTally): string | null {
  return unmatched === undefined
    ? null
    : JSON.stringify({ count: unmatchedCount, rows: unmatched });
}

/** The errors of a run, the last one of a failed run the reason; null for none. */
function errorsOf(
  { errors }: ImportTally,
  failure: ImportFailure | null,
): readonly ImportError[] | null {
  const reason = failure && {
    message: failure.message,
    ...(failure.code && { code: failure.code }),
  };
  const all = reason === null ? errors : [...errors, reason];
  return all.length === 0 ? null : all;
}

export async function deleteImports(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from imports where catalogue_id = ${catalogueId}`);
}

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
