import { sql } from "slonik";
import type { EventMetadata } from "#contracts/domain-events/log-events.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isoTime } from "../../postgres/iso-time.ts";
import {
  eventBytes,
  type NewEvent,
  type Position,
  type RecordedEvent,
  requireAppendSize,
  START,
} from "../event-log.ts";

/** A row of EVENT_COLUMNS. Not validated: only this adapter writes these rows. */
export type EventRow = {
  readonly at: Position;
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: JsonObject | null;
  readonly payload: Buffer | null;
  readonly metadata: EventMetadata;
  readonly recorded_at: string;
};

export const RECORDED_AT = isoTime("e.recorded_at");

export const EVENT_COLUMNS = sql.fragment`
  event_log.position_text(e.transaction_id, e.position) as at,
  e.stream, e.revision, e.event_id, e.type, e.data, e.payload, e.metadata,
  ${RECORDED_AT} as recorded_at`;

export function toRecordedEvent(row: EventRow): RecordedEvent {
  const data = row.data ?? row.payload;
  if (data === null) throw new TypeError(`event ${row.event_id} holds neither data nor payload`);
  return {
    id: row.event_id,
    type: row.type,
    data,
    metadata: row.metadata,
    stream: row.stream,
    revision: row.revision,
    position: row.at,
    recordedAt: row.recorded_at,
  };
}

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

/** A place in the order of events, in decimal text, since both numbers exceed the safe integers. */
type Cursor = { readonly transactionId: string; readonly position: string };

const FORM = /^[0-9a-f]{32}$/;

/** The number of the event at a position: ascending in the order of writing, with gaps. */
export function ordinalOf(position: Position): number {
  return Number(cursorOf(position).position);
}

/**
 * The inverse of event_log.position_text: two numbers of 16 hexadecimal digits.
 * @throws RangeError for any other text
 */
export function cursorOf(position: Position): Cursor {
  if (position === START) return { transactionId: "0", position: "0" };
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    transactionId: BigInt(`0x${position.slice(0, 16)}`).toString(),
    position: BigInt(`0x${position.slice(16)}`).toString(),
  };
}
