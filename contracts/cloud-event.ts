import { z } from "zod";

/** Content type of a CloudEvent in structured mode, by its bindings to Kafka and NATS. */
export const CLOUD_EVENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/** Attributes that our messages about catalogues have in common (CloudEvents 1.0, JSON event format). */
export const cloudEventAttributes = {
  specversion: z.literal("1.0"),
  /** The same in repetitions. */
  id: z.uuid(),
  /** The catalogue's URL at this service. */
  source: z.url(),
  /** When the log stored the event; for changes of events, when their revision was committed. */
  time: z.iso.datetime({ precision: 3 }),
  datacontenttype: z.literal("application/json"),
} as const;
