import type { z } from "zod";
import { type AgencyEvent, agencyEvents } from "#contracts/domain-events/agency-events.ts";
import {
  type CatalogueEvent,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/domain-events/catalogue-events.ts";
import { type GroupEvent, groupEvents } from "#contracts/domain-events/group-events.ts";
import { EventMetadata, type LogEvent, logEvents } from "#contracts/domain-events/log-events.ts";
import { type RegionEvent, regionEvents } from "#contracts/domain-events/region-events.ts";
import { type UserEvent, userEvents } from "#contracts/domain-events/user-events.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { derivedUuid } from "./derived-uuid.ts";
import { UnknownEvent } from "./errors.ts";
import type { NewEvent, RecordedEvent } from "./event-log.ts";
import { currentVersion, UPCASTS, type Upcasts, upcast } from "./upcasts.ts";

export type DomainEvent =
  | CatalogueEvent
  | UserEvent
  | GroupEvent
  | AgencyEvent
  | RegionEvent
  | LogEvent;

const schemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries({
    ...catalogueEvents,
    ...userEvents,
    ...groupEvents,
    ...agencyEvents,
    ...regionEvents,
    ...logEvents,
  }),
);

/** All current event types except chunks and frames. */
export const EVENT_TYPES: readonly string[] = [...schemas.keys()];

export type Origin = { readonly commandId: string; readonly actor: string; readonly at: Date };

/** A command's event at one place always has the same id, so a repeated append is safe. */
export function deriveEventId(commandId: string, stream: string, revision: number): string {
  return derivedUuid(`${commandId}\n${stream}\n${revision}`);
}

/** @param type the event's type; its current schema version goes into the metadata */
export function eventMetadata(origin: Origin, type: string): EventMetadata {
  const { commandId, actor, at } = origin;
  return { schemaVersion: currentVersion(type), commandId, actor, at: at.toISOString() };
}

/** Events in the form that the log stores; the first is at `firstRevision` of `stream`. */
export function toNewEvents(
  stream: string,
  firstRevision: number,
  events: readonly DomainEvent[],
  origin: Origin,
): NewEvent[] {
  return events.map((event, i) => ({
    id: deriveEventId(origin.commandId, stream, firstRevision + i),
    type: event.type,
    data: event.data as JsonObject,
    metadata: eventMetadata(origin, event.type),
  }));
}

/**
 * Converts a recorded event to a domain event: upcast to the current version and checked against its
 * schema.
 * @throws UnknownEvent for an unknown type or schema version
 */
export function fromRecorded(recorded: RecordedEvent): DomainEvent {
  return readRecorded(recorded, UPCASTS);
}

/** Like `fromRecorded`, with the given upcasts. */
export function readRecorded(recorded: RecordedEvent, upcasts: Upcasts): DomainEvent {
  const { type, data } = recorded;
  const schema = schemas.get(type);
  const { schemaVersion: version } = EventMetadata.parse(recorded.metadata);
  if (!schema || version > currentVersion(type, upcasts) || data instanceof Uint8Array) {
    throw unknownEvent(recorded);
  }
  return { type, data: schema.parse(upcast({ type, version, data }, upcasts)) } as DomainEvent;
}

const BINARY_TYPES: readonly string[] = [CHUNK_EVENT, FRAME_EVENT];

/**
 * Accepts domain events, chunks and frames of known versions, for readers that do not apply them.
 * @throws UnknownEvent
 */
export function requireKnown(recorded: RecordedEvent): void {
  const { type, metadata } = recorded;
  const isKnown = schemas.has(type) || BINARY_TYPES.includes(type);
  if (!isKnown || metadata.schemaVersion > currentVersion(type)) throw unknownEvent(recorded);
}

function unknownEvent({ type, metadata, revision, stream }: RecordedEvent): UnknownEvent {
  return new UnknownEvent(
    `event ${type} version ${metadata.schemaVersion} at revision ${revision} of ${stream}`,
  );
}
