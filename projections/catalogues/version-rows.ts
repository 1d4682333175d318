import { sql } from "slonik";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** Updates the table catalogue_versions, with one row per committed revision. */
export async function applyToVersions(
  transaction: Transaction,
  recorded: RecordedEvent,
  event: CatalogueEvent,
): Promise<void> {
  switch (event.type) {
    case "RevisionCommitted": {
      const { catalogueId, revision, cause, added, updated, removed } = event.data;
      const { eventCount, contentHash } = event.data;
      const { recordedAt, metadata } = recorded;
      await transaction.run(sql.unsafe`
        insert into catalogue_versions
          (catalogue_key, version, created_at, cause, actor,
           added, updated, removed, event_count, content_hash)
        select key, ${revision}, ${recordedAt}, ${cause}, ${metadata.actor},
          ${added}, ${updated}, ${removed}, ${eventCount}, ${contentHash}
        from catalogues where id = ${catalogueId}`);
      return;
    }
    case "CatalogueDeleted":
      await transaction.run(sql.unsafe`
        delete from catalogue_versions v using catalogues c
        where c.id = ${event.data.catalogueId} and v.catalogue_key = c.key`);
      return;
    case "CatalogueCreated":
    case "CatalogueRenamed":
    case "VisibilityChanged":
    case "CatalogueMerged":
    case "RevisionOpened":
    case "RevisionAbandoned":
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
