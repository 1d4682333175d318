import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../projection.ts";

/** Keeps the table catalogue_versions: one row per committed revision. */
export async function applyToVersions(
  transaction: Transaction,
  recorded: RecordedEvent,
  event: CatalogueEvent,
): Promise<void> {
  switch (event.type) {
    case "RevisionCommitted": {
      const { catalogueId, revision, cause, added, updated, removed } = event.data;
      const { eventCount, contentHash } = event.data;
      await transaction.query(
        `insert into catalogue_versions
           (catalogue_key, version, created_at, cause, actor,
            added, updated, removed, event_count, content_hash)
         select key, $2, $3, $4, $5, $6, $7, $8, $9, $10
         from catalogues where id = $1`,
        [
          catalogueId,
          revision,
          recorded.recordedAt,
          cause,
          recorded.metadata.actor,
          added,
          updated,
          removed,
          eventCount,
          contentHash,
        ],
      );
      return;
    }
    case "CatalogueDeleted":
      await transaction.query(
        `delete from catalogue_versions v using catalogues c
         where c.id = $1 and v.catalogue_key = c.key`,
        [event.data.catalogueId],
      );
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
