import { sql } from "slonik";
import type { EventMetadata } from "#contracts/domain-events/metadata.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { Position, RecordedEvent } from "../event-log.ts";

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

/** Columns of `event_log.events e`. */
export const EVENT_COLUMNS = sql.fragment`
  event_log.position_text(e.transaction_id, e.position) as at,
  e.stream, e.revision, e.event_id, e.type, e.data, e.payload, e.metadata,
  to_char(e.recorded_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at`;

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
