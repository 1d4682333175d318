import { sql } from "slonik";
import type { Reads } from "#infra/postgres/prepared-reads.ts";
import type { Batch, Position } from "../event-log.ts";
import { EVENT_COLUMNS, type EventRow, toRecordedEvent } from "./event-row.ts";
import { cursorOf } from "./position.ts";

export type BatchLimits = {
  /** Events of one batch. */
  readonly events: number;
  /** Data and metadata of one batch; a single larger event still makes a batch. */
  readonly bytes: number;
  /** Rows looked at for a batch when types are filtered: bounds a statement over foreign events. */
  readonly scanned: number;
};

const BATCH_LIMITS: BatchLimits = { events: 500, bytes: 4 * 1024 * 1024, scanned: 5_000 };

type Row = { readonly reached: Position | null } & (EventRow | { readonly at: null });

/**
 * The readable events after a position in the log's order; null when there is none of any type.
 * An event is readable when no transaction that was running at the time can still commit one before
 * it (see the decision on gap-free reading).
 */
export async function readBatch(
  reads: Pick<Reads, "any">,
  after: Position,
  types: readonly string[] | undefined,
  limits: BatchLimits = BATCH_LIMITS,
): Promise<Batch | null> {
  const { transactionId, position } = cursorOf(after);
  const wantedType = types
    ? sql.fragment`type = any(${sql.array(types, "text")})`
    : sql.fragment`true`;
  const rows = (await reads.any(sql.unsafe`
    with seen as materialized (
      select transaction_id, position, type, bytes from event_log.events
      where (transaction_id, position) > (${transactionId}::bigint, ${position}::bigint)
        and transaction_id < event_log.horizon()
      order by transaction_id, position
      limit ${types ? limits.scanned : limits.events}
    ), wanted as materialized (
      select transaction_id, position, row_number() over place as n, sum(bytes) over place as running
      from seen where ${wantedType}
      window place as (order by transaction_id, position)
    ), chosen as materialized (
      select transaction_id, position from wanted
      where n = 1 or (n <= ${limits.events} and running <= ${limits.bytes})
    ), last_looked_at as (
      select transaction_id, position from (
        select * from chosen where (select count(*) from chosen) < (select count(*) from wanted)
        union all
        select transaction_id, position from seen
        where (select count(*) from chosen) = (select count(*) from wanted)
      ) looked_at
      order by transaction_id desc, position desc limit 1
    )
    select event_log.position_text(last_looked_at.transaction_id, last_looked_at.position) as reached,
      ${EVENT_COLUMNS}
    from last_looked_at
    left join (chosen join event_log.events e using (transaction_id, position)) on true
    order by e.transaction_id, e.position`)) as readonly Row[];
  const reached = rows[0]?.reached;
  if (reached == null) return null;
  return {
    events: rows.flatMap((row) => (row.at === null ? [] : [toRecordedEvent(row)])),
    position: reached,
  };
}
