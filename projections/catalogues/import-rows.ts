/**
 * Rows of runs of imports: of those of the log, and of those of schedules of which it does not
 * tell.
 */

import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { agencySlug } from "#contracts/events/agencies.ts";
import type {
  CatalogueEvent,
  CatalogueEventData,
  ImportFailure,
} from "#contracts/events/catalogues.ts";
import type { ImportTally, ImportWindow } from "#contracts/events/imports.ts";
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
  const found = foundBy(tally, type === "ImportFailed" ? data.failure : null);
  const ended = await transaction.run(sql.unsafe`
    update imports set end_time = ${at}, (${FOUND}) = (${found}) where id = ${importId}`);
  if (ended !== 1) throw new Error(`no row of import ${importId}`);
}

const FOUND = sql.fragment`total_fetched, new_events, updated_events, skipped_events,
  withdrawn_events, withheld, unmatched, errors, elements`;

/** The values of `FOUND` of a run; the reason why it failed is the last of its errors, which are null for none. */
function foundBy(tally: ImportTally, failure: ImportFailure | null): FragmentSqlToken {
  const { totalFetched, newEvents, updatedEvents, skippedEvents } = tally;
  const { withdrawnEvents = null, withheld = null, unmatched, unmatchedCount, elements } = tally;
  const reason = failure && {
    message: failure.message,
    ...(failure.code && { code: failure.code }),
  };
  const errors = reason === null ? tally.errors : [...tally.errors, reason];
  const matchless = unmatched && { count: unmatchedCount, rows: unmatched };
  return sql.fragment`${totalFetched}, ${newEvents}, ${updatedEvents}, ${skippedEvents},
    ${withdrawnEvents}, ${withheld}, ${matchless ? JSON.stringify(matchless) : null}::json,
    ${errors.length === 0 ? null : JSON.stringify(errors)}::json,
    ${elements === undefined ? null : JSON.stringify(elements)}::json`;
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
  await pool.query(sql.unsafe`
    insert into operations.schedule_runs (id, schedule_id, catalogue_id, window_start, window_end,
      start_time, end_time, ${FOUND})
    values (${runId}::uuid, ${scheduleId}::uuid, ${catalogueId}::uuid, ${window.start}, ${window.end},
      ${begunAt}::timestamptz, ${endedAt}::timestamptz, ${foundBy(tally, failure)})
    on conflict (id) do nothing`);
  await pool.query(sql.unsafe`
    delete from operations.schedule_runs where id in (
      select id from operations.schedule_runs where schedule_id = ${scheduleId}::uuid
      order by start_time desc, id desc offset ${KEPT})`);
}
