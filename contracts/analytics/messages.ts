import { z } from "zod";
import { catalogueEvents } from "../domain-events/catalogue-events.ts";
import { type SeismicEvent, SeismicEventBody } from "../seismic-event/seismic-event.ts";
import { cloudEvent } from "./cloud-event.ts";

/** An event as the API's lists show it: provenance of merged ones is on the event's own page alone. */
type ListedEvent = Omit<SeismicEvent, "source_events">;

const catalogueId = z.uuid();
const revision = z.int().positive();
const event = SeismicEventBody as unknown as z.ZodType<ListedEvent>;

const { CatalogueCreated, CatalogueRenamed, VisibilityChanged } = catalogueEvents;
const { CatalogueMerged, CatalogueDeleted, RevisionCommitted } = catalogueEvents;

/**
 * A message of the analytics topic, for consumers to parse by. A catalogue's changes come in the
 * order in which they happened; those of its events when their revision is committed, all of them
 * before the revision's own message, which counts them. No user is named in any of them.
 */
export const AnalyticsMessage = z.discriminatedUnion("type", [
  cloudEvent("catalogue.created.v1", CatalogueCreated.omit({ createdBy: true }).strict()),
  cloudEvent("catalogue.renamed.v1", CatalogueRenamed.strict()),
  cloudEvent("catalogue.visibility-changed.v1", VisibilityChanged.strict()),
  /** The revision that comes next is a merge of these sources, each as of its version. */
  cloudEvent("catalogue.merged.v1", CatalogueMerged.strict()),
  cloudEvent("catalogue.deleted.v1", CatalogueDeleted.strict()),
  /** Ends a revision: as many messages of events as it counts came before it. */
  cloudEvent("catalogue.revision-committed.v1", RevisionCommitted.strict()),
  cloudEvent("seismic-event.added.v1", z.strictObject({ catalogueId, revision, event })),
  /** The event as it is from this revision on. */
  cloudEvent("seismic-event.updated.v1", z.strictObject({ catalogueId, revision, event })),
  cloudEvent(
    "seismic-event.removed.v1",
    z.strictObject({ catalogueId, revision, eventId: z.uuid() }),
  ),
]);
export type AnalyticsMessage = z.infer<typeof AnalyticsMessage>;

/** The type of a message with its data. */
export type AnalyticsContent = AnalyticsMessage extends infer M
  ? M extends AnalyticsMessage
    ? Pick<M, "type" | "data">
    : never
  : never;
