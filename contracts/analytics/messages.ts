import { z } from "zod";
import { catalogueEvents } from "../domain-events/catalogue-events.ts";
import { type SeismicEvent, SeismicEventBody } from "../seismic-event/seismic-event.ts";
import { cloudEvent } from "./cloud-event.ts";

/**
 * An event as in the API's lists: provenance of merged events is only in the answer for a single
 * event.
 */
type ListedEvent = Omit<SeismicEvent, "source_events">;

const catalogueId = z.uuid();
const revision = z.int().positive();
const event = SeismicEventBody as unknown as z.ZodType<ListedEvent>;

const { CatalogueCreated, CatalogueRenamed, VisibilityChanged } = catalogueEvents;
const { CatalogueMerged, CatalogueDeleted, RevisionCommitted } = catalogueEvents;

/**
 * A message of the analytics topic, for parsing by consumers. A catalogue's changes come in the
 * order in which they happened. Changes of its events come when their revision is committed, all of
 * them before the revision's own message, which counts them. No message names a user.
 */
export const AnalyticsMessage = z.discriminatedUnion("type", [
  cloudEvent("catalogue.created.v1", CatalogueCreated.omit({ createdBy: true }).strict()),
  cloudEvent("catalogue.renamed.v1", CatalogueRenamed.strict()),
  cloudEvent("catalogue.visibility-changed.v1", VisibilityChanged.strict()),
  /** The next revision is a merge of these sources, each as of its version. */
  cloudEvent("catalogue.merged.v1", CatalogueMerged.strict()),
  cloudEvent("catalogue.deleted.v1", CatalogueDeleted.strict()),
  /** Ends a revision: the counted messages about events came before it. */
  cloudEvent("catalogue.revision-committed.v1", RevisionCommitted.strict()),
  cloudEvent("seismic-event.added.v1", z.strictObject({ catalogueId, revision, event })),
  /** The event from this revision on. */
  cloudEvent("seismic-event.updated.v1", z.strictObject({ catalogueId, revision, event })),
  cloudEvent(
    "seismic-event.removed.v1",
    z.strictObject({ catalogueId, revision, eventId: z.uuid() }),
  ),
]);
export type AnalyticsMessage = z.infer<typeof AnalyticsMessage>;

/** A message's type and data. */
export type AnalyticsContent = AnalyticsMessage extends infer M
  ? M extends AnalyticsMessage
    ? Pick<M, "type" | "data">
    : never
  : never;
