import type { RecordedEvent as StoredEvent } from "@eventstore/db-client";
import type { EventMetadata } from "#contracts/domain-events/metadata.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RecordedEvent } from "../event-log.ts";
import { toPosition } from "./position.ts";

/** The server's own events (statistics, users, stream metadata) have types that begin with `$`. */
export function isSystemEvent(type: string): boolean {
  return type.startsWith("$");
}

/** The event in the port's form. Not validated: only this adapter writes to these streams. */
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
