import type { AnalyticsContent } from "#contracts/analytics/messages.ts";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";

/**
 * What the feed tells of a decision about a catalogue; null when it is not told. A revision that is
 * open or was abandoned has changed nothing, and what an import has changed is its revision. Users are left out: the feed holds no personal data.
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
