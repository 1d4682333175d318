import { TooLarge } from "../errors.ts";
import { MAX_APPEND_BYTES, type NewEvent } from "../event-log.ts";

/** An event as its row holds it; either `data` or `payload` is null. */
export type EventValues = {
  readonly id: string;
  readonly type: string;
  readonly data: string | null;
  readonly payload: Buffer | null;
  readonly metadata: string;
  readonly bytes: number;
};

/** @throws TooLarge when all events together exceed MAX_APPEND_BYTES; RangeError for no event */
export function toEventValues(events: readonly NewEvent[]): EventValues[] {
  if (events.length === 0) throw new RangeError("an append holds at least one event");
  const rows = events.map(eventValues);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (bytes > MAX_APPEND_BYTES) throw new TooLarge(bytes, MAX_APPEND_BYTES);
  return rows;
}

function eventValues({ id, type, data, metadata }: NewEvent): EventValues {
  const meta = JSON.stringify(metadata);
  if (data instanceof Uint8Array) {
    const payload = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const bytes = payload.byteLength + Buffer.byteLength(meta);
    return { id, type, data: null, payload, metadata: meta, bytes };
  }
  const json = JSON.stringify(data);
  const bytes = Buffer.byteLength(json) + Buffer.byteLength(meta);
  return { id, type, data: json, payload: null, metadata: meta, bytes };
}
