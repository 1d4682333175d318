/** Recorded events as domain events of the current version, and as people read them. */

import type { z } from "zod";
import {
  type GroupEvent,
  groupEvents,
  type UserEvent,
  userEvents,
} from "#contracts/events/accounts.ts";
import {
  type CatalogueEvent,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/events/catalogues.ts";
import { type AgencyEvent, agencyEvents } from "#contracts/events/imports.ts";
import { EventMetadata, type LogEvent, logEvents } from "#contracts/events/log.ts";
import { type RegionEvent, regionEvents } from "#contracts/events/regions.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/ids.ts";
import { type JsonObject, rowAt } from "#contracts/seismic-event/seismic-event.ts";
import { derivedUuid } from "../kernel/texts.ts";
import { type ChunkRows, decodeChunk, decodeFrame } from "./chunks.ts";
import { type NewEvent, type RecordedEvent, UnknownEvent } from "./event-log.ts";

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
  const steps = upcasts[type]?.slice(version - 1) ?? [];
  const current = steps.reduce((older, step) => step(older), data);
  return { type, data: schema.parse(current) } as DomainEvent;
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

/** Converts an event's data from one version to the next; stateless, never fails. */
type Upcast = (data: JsonObject) => JsonObject;

/** Upcasts by event type, from version 1 on. New events get the version after the last. */
export type Upcasts = Readonly<Record<string, readonly Upcast[]>>;

/** A changed schema needs an upcast here and a fixture in test/fixtures/events. */
const UPCASTS: Upcasts = {
  CatalogueMerged: [withLinkage],
  VisibilityChanged: [withPublicFrom],
};

/** Before linkage became an option, every merge used complete linkage. */
function withLinkage(data: JsonObject): JsonObject {
  return { ...data, config: { ...(data["config"] as JsonObject), linkage: "complete" } };
}

/** Before `public_from`, guests could read every version of a public catalogue. */
function withPublicFrom(data: JsonObject): JsonObject {
  return { ...data, publicFrom: data["isPublic"] === true ? 1 : null };
}

/** The version in which events of a type are written now. */
export function currentVersion(type: string, upcasts: Upcasts = UPCASTS): number {
  return 1 + (upcasts[type]?.length ?? 0);
}

/** A log event for people, one JSON line each. `time` is when the log stored it. */
export type ReadableEvent = {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly time: string;
  readonly actor: string;
  readonly data: JsonObject;
};

/** With `events`, a chunk's records are included, else a summary. Null attributes are left out. */
export function readableEvent(
  recorded: RecordedEvent,
  { events }: { readonly events: boolean },
): ReadableEvent {
  const { position, stream, revision, type, recordedAt: time, metadata, data } = recorded;
  const { actor } = metadata;
  const readable = { position, stream, revision, type, time, actor };
  if (!(data instanceof Uint8Array)) return { ...readable, data };
  if (type === FRAME_EVENT) return { ...readable, data: frameSummary(data) };
  if (type !== CHUNK_EVENT) return { ...readable, data: { bytes: data.byteLength } };
  return { ...readable, data: events ? chunkRecords(stream, data) : chunkSummary(data) };
}

/** A chunk's content without its records. @throws UnknownChunkVersion, CorruptChunk */
export function chunkSummary(bytes: Uint8Array) {
  const { added, restored, updated, removed } = decodeChunk(bytes);
  return {
    bytes: bytes.byteLength,
    added: added.length + restored.length,
    updated: updated.length,
    removed: removed.length,
  };
}

/** A frame's content: `bulletins` counts those of which it has a piece. @throws UnknownFrameVersion, CorruptFrame */
export function frameSummary(bytes: Uint8Array) {
  const bulletins = new Set(decodeFrame(bytes).map(({ at }) => at)).size;
  return { bytes: bytes.byteLength, bulletins };
}

const STREAM = /^catalogue-(?<catalogueId>.{36})-revision-(?<revision>\d+)$/;

function chunkRecords(stream: string, bytes: Uint8Array): JsonObject {
  const { firstIndex, added, restored, updated, removed } = decodeChunk(bytes);
  const { catalogueId = "", revision = "0" } = STREAM.exec(stream)?.groups ?? {};
  const prefix = eventIdPrefix(catalogueId, Number(revision));
  return {
    added: records(added, (i) => eventIdAt(prefix, firstIndex + i)),
    restored: records(restored, (i) => restored.ids[i] ?? ""),
    updated: records(updated, (i) => updated.ids[i] ?? ""),
    removed: [...removed],
  };
}

function records(events: ChunkRows, idOf: (index: number) => string): JsonObject[] {
  return Array.from({ length: events.length }, (_, i) => {
    const present = Object.entries(rowAt(events, i)).filter(([, value]) => value !== null);
    const sha256 = events.bulletins?.[i]?.sha256;
    const ofBulletin = sha256 !== undefined && { bulletin_sha256: sha256 };
    return { id: idOf(i), ...Object.fromEntries(present), ...ofBulletin } as JsonObject;
  });
}
