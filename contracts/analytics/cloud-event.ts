import { z } from "zod";

/**
 * Media type of the topic's messages, in their header `content-type` (CloudEvents Kafka binding,
 * structured mode).
 */
export const CLOUD_EVENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/**
 * Headers of every message. (position, ordinal) grows from message to message within a catalogue: a
 * message that is not beyond the last one is a repetition.
 */
export const ANALYTICS_HEADERS = {
  contentType: "content-type",
  /**
   * Position in the event log of the event that published the change: for events, the revision's
   * commit.
   */
  position: "position",
  /** Index of the message among those of its position, from 0; decimal text. */
  ordinal: "ordinal",
} as const;

/** The CloudEvents 1.0 envelope of a message of `type` (its JSON event format). */
export function cloudEvent<const T extends string, D extends z.ZodType>(type: T, data: D) {
  return z.strictObject({
    specversion: z.literal("1.0"),
    /** Derived from the log event's id and the ordinal, so repetitions have the same. */
    id: z.uuid(),
    /** The catalogue's URL at this service. */
    source: z.url(),
    type: z.literal(type),
    /** Id of the seismic event; absent in messages about the catalogue. */
    subject: z.uuid().optional(),
    /** When the log stored the event; for events, when their revision was committed. */
    time: z.iso.datetime({ precision: 3 }),
    datacontenttype: z.literal("application/json"),
    /** The message's key: the catalogue's id (CloudEvents extension "Partitioning"). */
    partitionkey: z.uuid(),
    data,
  });
}
