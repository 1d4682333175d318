import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { rowAt } from "#contracts/seismic-event/event-columns.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { decodeFrame } from "./bulletin-frame.ts";
import { type ChunkRows, decodeChunk } from "./chunk-codec.ts";
import type { RecordedEvent } from "./event-log.ts";

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

/** A chunk's content without its records. */
export type ChunkSummary = {
  readonly bytes: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
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

/** @throws UnknownChunkVersion, CorruptChunk */
export function chunkSummary(bytes: Uint8Array): ChunkSummary {
  const { added, restored, updated, removed } = decodeChunk(bytes);
  return {
    bytes: bytes.byteLength,
    added: added.length + restored.length,
    updated: updated.length,
    removed: removed.length,
  };
}

/** A frame's content: `bulletins` counts those of which it has a piece. */
export type FrameSummary = { readonly bytes: number; readonly bulletins: number };

/** @throws UnknownFrameVersion, CorruptFrame */
export function frameSummary(bytes: Uint8Array): FrameSummary {
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
