/** Messages to Kafka: what changes of catalogues and of their events. */

import { z } from "zod";
import { catalogueEvents } from "../events/catalogues.ts";
import { SeismicEventBody } from "../http/event-bodies.ts";
import { ShownSource } from "../merges/config.ts";
import type { SeismicEvent } from "../seismic-event/seismic-event.ts";
import { cloudEventAttributes } from "./changes.ts";

/**
 * Headers of every message. (position, ordinal) grows from message to message within a catalogue: a
 * message that is not beyond the last one is a repetition.
 */
export const ANALYTICS_HEADERS = {
  contentType: "content-type",
  /** Position in the log of the event that published the change, such as a commit. */
  position: "position",
  /** Index of the message among those of its position, from 0; decimal text. */
  ordinal: "ordinal",
} as const;

/** The envelope of a message of `type`; its id is derived from the log event's id and the ordinal. */
function cloudEvent<const T extends string, D extends z.ZodType>(type: T, data: D) {
  return z.strictObject({
    ...cloudEventAttributes,
    type: z.literal(type),
    /** Id of the seismic event; absent in messages about the catalogue. */
    subject: z.uuid().optional(),
    /** The message's key: the catalogue's id (CloudEvents extension "Partitioning"). */
    partitionkey: z.uuid(),
    data,
  });
}

/** An event as in the API's lists, without the provenance of merged events. */
type ListedEvent = Omit<SeismicEvent, "source_events">;

const catalogueId = z.uuid();
const revision = z.int().positive();
const event = SeismicEventBody as unknown as z.ZodType<ListedEvent>;

const { CatalogueCreated, CatalogueRenamed, VisibilityChanged } = catalogueEvents;
const { CatalogueMerged, CatalogueDeleted, RevisionCommitted } = catalogueEvents;

/**
 * A message of the analytics topic, for parsing by consumers. A catalogue's changes come in the
 * order in which they happened. Changes of its events come when their revision is committed, all of
 * them before the revision's own message, which counts them. No message names a user. Of a restricted catalogue
 * there are no messages about its events, and those about it have its id, its versions and counts alone.
 */
export const AnalyticsMessage = z.discriminatedUnion("type", [
  cloudEvent(
    "catalogue.created.v1",
    CatalogueCreated.omit({ createdBy: true, isRestricted: true, editing: true })
      .partial({ name: true, isPublic: true })
      .strict(),
  ),
  cloudEvent("catalogue.renamed.v1", CatalogueRenamed.strict()),
  cloudEvent(
    "catalogue.visibility-changed.v1",
    VisibilityChanged.omit({ isRestricted: true }).strict(),
  ),
  /** The next revision is a merge of these sources, each as of its version; restricted ones are nameless. */
  cloudEvent(
    "catalogue.merged.v1",
    CatalogueMerged.extend({ sources: z.array(ShownSource) }).strict(),
  ),
  cloudEvent("catalogue.deleted.v1", CatalogueDeleted.strict()),
  /** Ends a revision: the counted messages about events came before it. */
  cloudEvent(
    "catalogue.revision-committed.v1",
    RevisionCommitted.partial({
      cause: true,
      chunks: true,
      bounds: true,
      contentHash: true,
    }).strict(),
  ),
  cloudEvent("seismic-event.added.v1", z.strictObject({ catalogueId, revision, event })),
  /** The event from this revision on. */
  cloudEvent("seismic-event.updated.v1", z.strictObject({ catalogueId, revision, event })),
  cloudEvent(
    "seismic-event.removed.v1",
    z.strictObject({ catalogueId, revision, eventId: z.uuid() }),
  ),
]);
export type AnalyticsMessage = z.infer<typeof AnalyticsMessage>;

export type AnalyticsContent = AnalyticsMessage extends infer M
  ? M extends AnalyticsMessage
    ? Pick<M, "type" | "data">
    : never
  : never;
