import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows of the table catalogue_versions: one per committed revision. */
export async function insertVersion(
  transaction: Transaction,
  { recordedAt, metadata }: RecordedEvent,
  committed: CatalogueEventData<"RevisionCommitted">,
): Promise<void> {
  const { catalogueId, revision, cause, added, updated, removed } = committed;
  const { eventCount, contentHash } = committed;
  await transaction.run(sql.unsafe`
    insert into catalogue_versions
      (catalogue_key, version, created_at, cause, actor,
       added, updated, removed, event_count, content_hash)
    select key, ${revision}, ${recordedAt}, ${cause}, ${metadata.actor},
      ${added}, ${updated}, ${removed}, ${eventCount}, ${contentHash}
    from catalogues where id = ${catalogueId}`);
}

export async function deleteVersions(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from catalogue_versions v using catalogues c
    where c.id = ${catalogueId} and v.catalogue_key = c.key`);
}
