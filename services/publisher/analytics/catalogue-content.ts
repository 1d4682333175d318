import type { AnalyticsContent } from "#contracts/analytics/messages.ts";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";

/**
 * The feed's message about a decision on a catalogue; null for none. Open and abandoned revisions
 * have changed nothing, and an import's changes are those of its revision. Users are left out: the
 * feed has no personal data.
 */
export function catalogueContent(event: CatalogueEvent): AnalyticsContent | null {
  switch (event.type) {
    case "CatalogueCreated": {
      const { catalogueId, name, isPublic } = event.data;
      return { type: "catalogue.created.v1", data: { catalogueId, name, isPublic } };
    }
    case "CatalogueRenamed":
      return { type: "catalogue.renamed.v1", data: event.data };
    case "VisibilityChanged":
      return { type: "catalogue.visibility-changed.v1", data: event.data };
    case "CatalogueMerged":
      return { type: "catalogue.merged.v1", data: event.data };
    case "CatalogueDeleted":
      return { type: "catalogue.deleted.v1", data: event.data };
    case "RevisionCommitted":
      return { type: "catalogue.revision-committed.v1", data: event.data };
    case "RevisionOpened":
    case "RevisionAbandoned":
    case "ImportStarted":
    case "ImportCompleted":
    case "ImportFailed":
      return null;
    default: {
      const unknown: never = event;
      throw new Error(`unknown event of a catalogue: ${JSON.stringify(unknown)}`);
    }
  }
}
