/** Messages over NATS: what changes of catalogues. */

import { z } from "zod";
import type { KeyWithValue } from "../cases.ts";
import { type CatalogueEvent, catalogueEvents } from "../events/catalogues.ts";
import { VersionRecord } from "../http/versions.ts";

/**
 * What subscribers are told of each event of a catalogue; null for nothing. What tells of people (its
 * metadata name its creators), of shares, of work that may yet be given up, or of how a version came
 * about is left out.
 */
export const CHANGE_OF = {
  CatalogueCreated: "created",
  CatalogueRenamed: "renamed",
  VisibilityChanged: "visibility",
  EditingChanged: null,
  PartsChanged: null,
  MemberSet: null,
  MemberRemoved: null,
  MetadataChanged: null,
  CatalogueMerged: null,
  MergeRefreshed: null,
  MergeDecisionsMade: null,
  MergeDecisionsWithdrawn: null,
  RevisionOpened: null,
  RevisionCommitted: "version",
  RevisionAbandoned: null,
  ImportStarted: null,
  ImportCompleted: null,
  ImportFailed: null,
  CatalogueShared: null,
  ShareEnded: null,
  ScheduleMade: null,
  ScheduleChanged: null,
  ScheduleEnded: null,
  CatalogueDeleted: "deleted",
} as const satisfies Record<CatalogueEvent["type"], string | null>;

type ChangingType = KeyWithValue<typeof CHANGE_OF>;

/** The events that subscribers are told of. */
export type ChangingEvent = Extract<CatalogueEvent, { type: ChangingType }>;
/** The last word of a change's subject. */
export type ChangeKind = (typeof CHANGE_OF)[ChangingType];

/** Headers of every message, beside the message id, which is the CloudEvent's id. */
export const CHANGE_HEADERS = {
  contentType: "content-type",
  /**
   * Position of the change in the log, which grows from change to change: a message that is not
   * beyond the last one of its catalogue is a repetition.
   */
  position: "position",
} as const;

function change<const K extends ChangeKind, D extends z.ZodRawShape>(kind: K, data: D) {
  return z.strictObject({
    ...cloudEventAttributes,
    type: z.literal(changeType(kind)),
    subject: z.uuid(),
    data: z.strictObject({ catalogue_id: z.uuid(), ...data }),
  });
}

export function changeType<const K extends ChangeKind>(kind: K): `catalogue-change.${K}.v1` {
  return `catalogue-change.${kind}.v1`;
}

const name = catalogueEvents.CatalogueCreated.shape.name;
const is_public = z.boolean();

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

/**
 * A message of the stream of changes, for parsing by subscribers; members are named as in the API.
 * No message names a user, and none holds seismic events: a version is read at its address, `source`
 * followed by `/versions/<version>`.
 */
export const CatalogueChange = z.discriminatedUnion("type", [
  /** Of a restricted catalogue nothing but its id. */
  change("created", { name: name.optional(), is_public: is_public.optional() }),
  change("renamed", { name: name.optional() }),
  change("visibility", {
    is_public,
    /** The first version that guests may read; null for none. */
    public_from: z.int().positive().nullable(),
  }),
  change(
    "version",
    VersionRecord.pick({
      version: true,
      cause: true,
      added: true,
      updated: true,
      removed: true,
      event_count: true,
      bounds: true,
      content_hash: true,
      // Of a restricted catalogue there are none of these.
    }).partial({ cause: true, bounds: true, content_hash: true }).shape,
  ),
  change("deleted", {}),
]);
export type CatalogueChange = z.infer<typeof CatalogueChange>;

export type ChangeData = CatalogueChange["data"];

/** Content type of a CloudEvent in structured mode, by its bindings to Kafka and NATS. */
export const CLOUD_EVENT_TYPE = "application/cloudevents+json; charset=UTF-8";
