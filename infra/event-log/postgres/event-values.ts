import { eventBytes, requireAppendSize } from "../append-size.ts";
import type { NewEvent } from "../event-log.ts";

/** Column values of an event; either `data` or `payload` is null. */
export type EventValues = {
  readonly id: string;
  readonly type: string;
  readonly data: string | null;
  readonly payload: Buffer | null;
  readonly metadata: string;
  readonly bytes: number;
};

/** @throws TooLarge when the events together exceed MAX_APPEND_BYTES; RangeError without events */
export function toEventValues(events: readonly NewEvent[]): EventValues[] {
  const rows = events.map(eventValues);
  requireAppendSize(rows.map(({ bytes }) => bytes));
  return rows;
}

function eventValues({ id, type, data, metadata }: NewEvent): EventValues {
  const meta = JSON.stringify(metadata);
  if (data instanceof Uint8Array) {
    const payload = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const bytes = eventBytes(type, payload.byteLength, Buffer.byteLength(meta));
    return { id, type, data: null, payload, metadata: meta, bytes };
  }
  const json = JSON.stringify(data);
  const bytes = eventBytes(type, Buffer.byteLength(json), Buffer.byteLength(meta));
  return { id, type, data: json, payload: null, metadata: meta, bytes };
}
