import { sql } from "slonik";
import { agencySlug } from "#contracts/agency-limits.ts";
import type {
  CatalogueEvent,
  CatalogueEventData,
  ImportFailure,
} from "#contracts/domain-events/catalogue-events.ts";
import type { ImportError, ImportTally } from "#contracts/import-run.ts";
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
export function unmatchedOf({ unmatched, unmatchedCount }: ImportTally): string | null {
  return unmatched === undefined
    ? null
    : JSON.stringify({ count: unmatchedCount, rows: unmatched });
}

/** The errors of a run, the last one of a failed run the reason; null for none. */
export function errorsOf(
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
