import type { RecordedEvent as StoredEvent } from "@eventstore/db-client";
import type { EventMetadata } from "#contracts/domain-events/metadata.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RecordedEvent } from "../event-log.ts";
import { toPosition } from "./position.ts";

/** The server's own events (statistics, users, metadata of streams) begin so. */
export function isSystemEvent(type: string): boolean {
  return type.startsWith("$");
}

/** An event as the port gives it. Not parsed: only this adapter writes to these streams. */
export function toRecordedEvent(stored: StoredEvent): RecordedEvent {
  return {
    id: stored.id,
    type: stored.type,
    data: stored.data as JsonObject | Uint8Array,
    metadata: stored.metadata as EventMetadata,
    stream: stored.streamId,
    revision: Number(stored.revision),
    position: toPosition(stored.position),
    recordedAt: stored.created.toISOString(),
  };
}
