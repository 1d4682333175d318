import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { CatalogueStatus } from "#contracts/http/catalogues.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../projection.ts";

type Of<T extends CatalogueEvent["type"]> = Extract<CatalogueEvent, { type: T }>["data"];

/** Keeps the row of a catalogue in the table catalogues. */
export async function applyToCatalogue(
  transaction: Transaction,
  recorded: RecordedEvent,
  event: CatalogueEvent,
): Promise<void> {
  const at = recorded.recordedAt;
  switch (event.type) {
    case "CatalogueCreated":
      return insertCatalogue(transaction, event.data, at);
    case "CatalogueRenamed": {
      const { catalogueId, name } = event.data;
      return update(transaction, catalogueId, "name = $2, updated_at = $3", name, at);
    }
    case "VisibilityChanged": {
      const { catalogueId, isPublic, publicFrom } = event.data;
      const set = "is_public = $2, public_from = $3, updated_at = $4";
      return update(transaction, catalogueId, set, isPublic, publicFrom, at);
    }
    case "CatalogueMerged": {
      const { catalogueId, config, sources } = event.data;
      const set = "merge_config = $2, source_catalogues = $3";
      const values = [JSON.stringify(config), JSON.stringify(sources)];
      return update(transaction, catalogueId, set, ...values);
    }
    case "RevisionOpened": {
      const { catalogueId, revision, worker } = event.data;
      const set = `open_revision = $2, open_worker = $3, open_chunks = 0,
        status = case when version = 0 then $4 else status end`;
      const status: CatalogueStatus = "processing";
      return update(transaction, catalogueId, set, revision, worker, status);
    }
    case "RevisionCommitted":
      return commitRevision(transaction, event.data, at);
    case "RevisionAbandoned": {
      const set = `open_revision = null, open_worker = null, open_chunks = 0,
        status = case when version = 0 then $2 else status end`;
      const status: CatalogueStatus = "error";
      return update(transaction, event.data.catalogueId, set, status);
    }
    case "CatalogueDeleted":
      await transaction.query("delete from catalogues where id = $1", [event.data.catalogueId]);
      return;
    case "ImportStarted":
    case "ImportCompleted":
    case "ImportFailed":
      return;
    default: {
      const unknown: never = event;
      throw new Error(`unknown event of a catalogue: ${JSON.stringify(unknown)}`);
    }
  }
}

/** Shows that the read model of a catalogue has stopped at a parked event. */
export async function markCatalogueParked(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  const status: CatalogueStatus = "error";
  await transaction.query("update catalogues set status = $2 where id = $1", [catalogueId, status]);
}

/**
 * Gives the status back that the mark has covered (contract §9, "Status"). Without a version and
 * without an open revision the first one was given up.
 */
export async function clearCatalogueParked(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  const [active, processing, error] = ["active", "processing", "error"] satisfies CatalogueStatus[];
  await transaction.query(
    `update catalogues set status = case
       when version > 0 then $2 when open_revision is not null then $3 else $4 end
     where id = $1`,
    [catalogueId, active, processing, error],
  );
}

async function insertCatalogue(
  transaction: Transaction,
  { catalogueId, name, isPublic, createdBy }: Of<"CatalogueCreated">,
  at: string,
): Promise<void> {
  const status: CatalogueStatus = "processing";
  await transaction.query(
    `insert into catalogues
       (key, id, name, is_public, public_from, created_by, created_at, updated_at, status, version,
        event_count)
     select coalesce(max(key), 0) + 1, $1, $2, $3, case when $3 then 1 end, $4, $5, $5, $6, 0, 0
     from catalogues`,
    [catalogueId, name, isPublic, createdBy, at, status],
  );
}

async function commitRevision(
  transaction: Transaction,
  { catalogueId, revision, chunks, eventCount, bounds }: Of<"RevisionCommitted">,
  at: string,
): Promise<void> {
  const status: CatalogueStatus = "active";
  const committed = await transaction.query(
    `update catalogues set
       version = $2, event_count = $3, status = $4, updated_at = $5,
       min_latitude = $6, max_latitude = $7, min_longitude = $8, max_longitude = $9,
       min_magnitude = $10, max_magnitude = $11, start_time = $12, end_time = $13,
       open_revision = null, open_worker = null, open_chunks = 0
     where id = $1 and open_revision = $2 and open_chunks = $14`,
    [
      catalogueId,
      revision,
      eventCount,
      status,
      at,
      bounds.min_latitude,
      bounds.max_latitude,
      bounds.min_longitude,
      bounds.max_longitude,
      bounds.min_magnitude,
      bounds.max_magnitude,
      bounds.start_time,
      bounds.end_time,
      chunks,
    ],
  );
  if (committed.rowCount !== 1) {
    throw new Error(
      `revision ${revision} of ${catalogueId} is committed with other chunks than applied`,
    );
  }
}

/** Changes one row; `set` numbers its values from $2. */
async function update(
  transaction: Transaction,
  catalogueId: string,
  set: string,
  ...values: readonly unknown[]
): Promise<void> {
  const updated = await transaction.query(`update catalogues set ${set} where id = $1`, [
    catalogueId,
    ...values,
  ]);
  if (updated.rowCount !== 1) throw new Error(`no row of catalogue ${catalogueId}`);
}
