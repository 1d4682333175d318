import { sql } from "slonik";
import type { CatalogueEvent, ImportFailure } from "#contracts/domain-events/catalogue-events.ts";
import type { ImportError, ImportTally } from "#contracts/import-run.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

type Started = Extract<CatalogueEvent, { type: "ImportStarted" }>["data"];

/** Updates the table imports, with one row per run. A deleted catalogue has no history. */
export async function applyToImports(
  transaction: Transaction,
  { recordedAt }: RecordedEvent,
  event: CatalogueEvent,
): Promise<void> {
  switch (event.type) {
    case "ImportStarted":
      return insert(transaction, event.data, recordedAt);
    case "ImportCompleted": {
      const { importId, tally } = event.data;
      return end(transaction, importId, tally, tally.errors, recordedAt);
    }
    case "ImportFailed": {
      const { importId, tally, failure } = event.data;
      const errors = [...tally.errors, errorOf(failure)];
      return end(transaction, importId, tally, errors, recordedAt);
    }
    case "CatalogueDeleted":
      await transaction.run(
        sql.unsafe`delete from imports where catalogue_id = ${event.data.catalogueId}`,
      );
      return;
    case "CatalogueCreated":
    case "CatalogueRenamed":
    case "VisibilityChanged":
    case "CatalogueMerged":
    case "RevisionOpened":
    case "RevisionCommitted":
    case "RevisionAbandoned":
      return;
    default: {
      const unknown: never = event;
      throw new Error(`unknown event of a catalogue: ${JSON.stringify(unknown)}`);
    }
  }
}

function errorOf({ code, message }: ImportFailure): ImportError {
  return code === null ? { message } : { message, code };
}

async function insert(
  transaction: Transaction,
  { importId, catalogueId, window }: Started,
  at: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into imports (id, catalogue_id, window_start, window_end, start_time)
    values (${importId}, ${catalogueId}, ${window.start}, ${window.end}, ${at})`);
}

async function end(
  transaction: Transaction,
  importId: string,
  { totalFetched, newEvents, updatedEvents, skippedEvents }: ImportTally,
  errors: readonly ImportError[],
  at: string,
): Promise<void> {
  const ended = await transaction.run(sql.unsafe`
    update imports set end_time = ${at}, total_fetched = ${totalFetched}, new_events = ${newEvents},
      updated_events = ${updatedEvents}, skipped_events = ${skippedEvents},
      errors = ${errors.length === 0 ? null : JSON.stringify(errors)}
    where id = ${importId}`);
  if (ended !== 1) throw new Error(`no row of import ${importId}`);
}
