import type { Position as LogPosition, RecordedEvent as StoredEvent } from "@eventstore/db-client";
import type { EventMetadata } from "#contracts/domain-events/log-events.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type Position, type RecordedEvent, START } from "../event-log.ts";

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

const FORM = /^[0-9a-f]{32}$/;
const DIGITS = 16;

/** Servers say "none" with the largest 64-bit number. */
const NO_NUMBER = 2n ** 64n - 1n;

/** An event without a place in the whole log: servers before 23.10 omit it when reading a stream. */
class NoPosition extends Error {
  override readonly name = "NoPosition";
}

/**
 * Commit and prepare position as 16 hexadecimal digits each, so that positions compare as text.
 * @throws NoPosition
 */
export function toPosition(place: LogPosition | undefined): Position {
  if (place === undefined || place.commit === NO_NUMBER) {
    throw new NoPosition("the event store does not tell where in the log an event is");
  }
  return `${hex(place.commit)}${hex(place.prepare)}` as Position;
}

/** The inverse; START is null. @throws RangeError for any other text */
export function fromPosition(position: Position): LogPosition | null {
  if (position === START) return null;
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    commit: BigInt(`0x${position.slice(0, DIGITS)}`),
    prepare: BigInt(`0x${position.slice(DIGITS)}`),
  };
}

/** A byte offset of the log: ascending in the order of writing, with gaps. */
export function ordinalOf(position: Position): number {
  return Number(fromPosition(position)?.commit ?? 0n);
}

function hex(value: bigint): string {
  return value.toString(16).padStart(DIGITS, "0");
}
