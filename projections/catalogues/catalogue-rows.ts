import { type FragmentSqlToken, sql } from "slonik";
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import type { CatalogueStatus } from "#contracts/http/catalogue.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";

/** They change nothing of the catalogue itself. */
type AsideEvent = Extract<CatalogueEvent, { type: `Import${string}` | `${string}Share${string}` }>;

const STATUSES = ["active", "processing", "error"] as const satisfies readonly CatalogueStatus[];
const [ACTIVE, PROCESSING, ERROR] = STATUSES;

/** Updates a catalogue's row in the table catalogues; `at` is the time of recording. */
export async function applyToCatalogue(
  transaction: Transaction,
  event: Exclude<CatalogueEvent, AsideEvent>,
  at: string,
): Promise<void> {
  switch (event.type) {
    case "CatalogueCreated":
      return insertCatalogue(transaction, event.data, at);
    case "CatalogueRenamed": {
      const { catalogueId, name } = event.data;
      return update(transaction, catalogueId, sql.fragment`name = ${name}, updated_at = ${at}`);
    }
    case "VisibilityChanged": {
      const { catalogueId, isPublic, publicFrom } = event.data;
      const set = sql.fragment`
        is_public = ${isPublic}, public_from = ${publicFrom}, updated_at = ${at}`;
      return update(transaction, catalogueId, set);
    }
    case "MetadataChanged": {
      const { catalogueId, metadata } = event.data;
      const written = metadata && JSON.stringify(metadata);
      const set = sql.fragment`metadata = ${written}, updated_at = ${at}`;
      return update(transaction, catalogueId, set);
    }
    case "CatalogueMerged": {
      const { catalogueId, config, sources } = event.data;
      const set = sql.fragment`
        merge_config = ${JSON.stringify(config)}, source_catalogues = ${JSON.stringify(sources)}`;
      return update(transaction, catalogueId, set);
    }
    case "RevisionOpened": {
      const { catalogueId, revision, worker } = event.data;
      const set = sql.fragment`
        open_revision = ${revision}, open_worker = ${worker}, open_chunks = 0,
        status = case when version = 0 then ${PROCESSING} else status end`;
      return update(transaction, catalogueId, set);
    }
    case "RevisionCommitted":
      return commitRevision(transaction, event.data, at);
    case "RevisionAbandoned": {
      const set = sql.fragment`
        open_revision = null, open_worker = null, open_chunks = 0,
        status = case when version = 0 then ${ERROR} else status end`;
      return update(transaction, event.data.catalogueId, set);
    }
    case "CatalogueDeleted":
      await transaction.run(
        sql.unsafe`delete from catalogues where id = ${event.data.catalogueId}`,
      );
      return;
    default:
      return unknownCase(event);
  }
}

/** Marks a catalogue whose read model has stopped at a parked event. */
export async function markCatalogueParked(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  await transaction.run(
    sql.unsafe`update catalogues set status = ${ERROR} where id = ${catalogueId}`,
  );
}

/**
 * Restores the status that the mark has replaced. Without a version and without an open revision,
 * the first revision was abandoned.
 */
export async function clearCatalogueParked(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    update catalogues set status = case
      when version > 0 then ${ACTIVE} when open_revision is not null then ${PROCESSING}
      else ${ERROR} end
    where id = ${catalogueId}`);
}

async function insertCatalogue(
  transaction: Transaction,
  { catalogueId, name, isPublic, createdBy }: CatalogueEventData<"CatalogueCreated">,
  at: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into catalogues
      (key, id, name, is_public, public_from, created_by, created_at, updated_at, status, version,
       event_count)
    select coalesce(max(key), 0) + 1, ${catalogueId}, ${name}, ${isPublic}, ${isPublic ? 1 : null},
      ${createdBy}, ${at}, ${at}, ${PROCESSING}, 0, 0
    from catalogues`);
}

async function commitRevision(
  transaction: Transaction,
  { catalogueId, revision, chunks, eventCount, bounds }: CatalogueEventData<"RevisionCommitted">,
  at: string,
): Promise<void> {
  const committed = await transaction.run(sql.unsafe`
    update catalogues set
      version = ${revision}, event_count = ${eventCount}, status = ${ACTIVE}, updated_at = ${at},
      min_latitude = ${bounds.min_latitude}, max_latitude = ${bounds.max_latitude},
      min_longitude = ${bounds.min_longitude}, max_longitude = ${bounds.max_longitude},
      min_magnitude = ${bounds.min_magnitude}, max_magnitude = ${bounds.max_magnitude},
      start_time = ${bounds.start_time}, end_time = ${bounds.end_time},
      open_revision = null, open_worker = null, open_chunks = 0
    where id = ${catalogueId} and open_revision = ${revision} and open_chunks = ${chunks}`);
  if (committed !== 1) {
    throw new Error(
      `revision ${revision} of ${catalogueId} is committed with other chunks than applied`,
    );
  }
}

async function update(
  transaction: Transaction,
  catalogueId: string,
  set: FragmentSqlToken,
): Promise<void> {
  const updated = await transaction.run(
    sql.unsafe`update catalogues set ${set} where id = ${catalogueId}`,
  );
  if (updated !== 1) throw new Error(`no row of catalogue ${catalogueId}`);
}
