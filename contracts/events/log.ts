/** Names of streams, subscriptions, subjects and topics, all defined here. */

import { z } from "zod";

/** The decision stream of one catalogue: everything but the contents of its revisions. */
export function catalogueStream(catalogueId: string): string {
  return `catalogue-${catalogueId}`;
}

/** The chunk stream of one revision: its seismic events, published by RevisionCommitted. */
export function revisionStream(catalogueId: string, revision: number): string {
  return `catalogue-${catalogueId}-revision-${revision}`;
}

/** The frames of one revision: the bulletins of its events that are new. */
export function bulletinStream(catalogueId: string, revision: number): string {
  return `catalogue-${catalogueId}-bulletins-${revision}`;
}

/** The decision stream of one account. */
export function userStream(userId: string): string {
  return `user-${userId}`;
}

/** The decision stream of one group of users. */
export function groupStream(groupId: string): string {
  return `group-${groupId}`;
}

/** The decision stream of one agency. */
export function agencyStream(agencyId: string): string {
  return `agency-${agencyId}`;
}

/** The decision stream of one region. */
export function regionStream(regionId: string): string {
  return `region-${regionId}`;
}

/** The reservation stream of one email address, named by its HMAC so that the log contains no address. */
export function emailStream(emailHmac: string): string {
  return `email-${emailHmac}`;
}

/** The stream about the log itself, with its identity. */
export const LOG_STREAM = "event-log";

export const PROJECTIONS = { catalogues: "catalogues", users: "users" } as const;

/** The lease of the process that works for a projection. */
export function projectionLease(projection: string): string {
  return `projection ${projection}`;
}

/** Subscribers that keep checkpoints for what they deliver. */
export const RELAYS = {
  publisher: "publisher",
  notifier: "notifier",
  changes: "changes",
  alerts: "alerts",
} as const;

/** JetStream: one stream for all notices, one durable consumer for all notifiers. */
export const NOTICES = {
  stream: "NOTIFICATIONS",
  subjects: "notifications.*",
  consumer: "notifier",
} as const;

export function noticeSubject(type: string): string {
  return `notifications.${type}`;
}

/** JetStream: one stream for the changes of all catalogues, for whoever subscribes to it. */
export const CHANGES = { stream: "CATALOGUE_CHANGES", subjects: "catalogues.*.*" } as const;

export function changeSubject(catalogueId: string, kind: string): string {
  return `catalogues.${catalogueId}.${kind}`;
}

/** Kafka: one topic, keyed by catalogue id; `feed` names the publisher's checkpoint. */
export const ANALYTICS = { topic: "catalogue-changes", feed: "analytics" } as const;

/** The stream LOG_STREAM: by its identity, data built from the log can recognise it. */
export const logEvents = {
  LogIdentified: z.object({ logId: z.uuid() }),
} as const;

/** Any event of a table of their schemas. */
export type EventOf<Schemas extends Readonly<Record<string, z.ZodType>>> = {
  [T in keyof Schemas]: { type: T; data: z.infer<Schemas[T]> };
}[keyof Schemas];

export type LogEvent = EventOf<typeof logEvents>;

/** Stored with every event. `actor` is a user id, or `system`. */
export const EventMetadata = z.object({
  schemaVersion: z.int().positive(),
  commandId: z.uuid(),
  actor: z.string(),
  at: z.iso.datetime({ precision: 3 }),
});
export type EventMetadata = z.infer<typeof EventMetadata>;
