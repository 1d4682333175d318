import { binaryEvent, type EventData, jsonEvent } from "@eventstore/db-client";
import { eventBytes, requireAppendSize } from "../append-size.ts";
import type { NewEvent } from "../event-log.ts";

/**
 * Events in the client's form, chunks as binary and domain events as JSON; `bytes` is their total
 * size.
 * @throws TooLarge when it exceeds MAX_APPEND_BYTES; RangeError without events
 */
export function toEventData(events: readonly NewEvent[]): {
  readonly data: EventData[];
  readonly bytes: number;
} {
  const sizes = events.map(sizeOf);
  requireAppendSize(sizes);
  const data = events.map(({ id, type, data, metadata }) =>
    data instanceof Uint8Array
      ? binaryEvent({ id, type, data, metadata })
      : jsonEvent({ id, type, data, metadata }),
  );
  return { data, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function sizeOf({ type, data, metadata }: NewEvent): number {
  const dataBytes =
    data instanceof Uint8Array ? data.byteLength : Buffer.byteLength(JSON.stringify(data));
  return eventBytes(type, dataBytes, Buffer.byteLength(JSON.stringify(metadata)));
}
