import { z } from "zod";

/** What the topic's messages are, as their header `content-type` says (CloudEvents Kafka binding, structured mode). */
export const CLOUD_EVENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/**
 * Headers of every message. (position, ordinal) grows from message to message of a catalogue: one
 * that is not behind the last is a repetition.
 */
export const ANALYTICS_HEADERS = {
  contentType: "content-type",
  /** Position in the event log of what made it public: for changes of events, the revision's commit. */
  position: "position",
  /** Number of the message among those of its position, from 0; decimal text. */
  ordinal: "ordinal",
} as const;

/** The CloudEvents 1.0 envelope of a message of `type` (its JSON event format). */
export function cloudEvent<const T extends string, D extends z.ZodType>(type: T, data: D) {
  return z.strictObject({
    specversion: z.literal("1.0"),
    /** The same in every repetition: derived from the log event's id and the ordinal. */
    id: z.uuid(),
    /** The catalogue, as a URL of the service. */
    source: z.url(),
    type: z.literal(type),
    /** The id of the seismic event that it is about; absent when it is about the catalogue. */
    subject: z.uuid().optional(),
    /** When the log took it: for changes of events, when their revision was committed. */
    time: z.iso.datetime({ precision: 3 }),
    datacontenttype: z.literal("application/json"),
    /** The message's key: the catalogue's id (CloudEvents extension "Partitioning"). */
    partitionkey: z.uuid(),
    data,
  });
}
