import { sql } from "slonik";
import type { Statements } from "#infra/postgres/statements.ts";
import type { Batch, Position } from "../event-log.ts";
import { cursorOf, EVENT_COLUMNS, type EventRow, toRecordedEvent } from "./event-row.ts";

export type BatchLimits = {
  readonly events: number;
  /** Most bytes of data and metadata in a batch, except that a single larger event makes a batch. */
  readonly bytes: number;
  /** Most rows examined per batch when filtering by type: bounds a statement over other events. */
  readonly scanned: number;
};

const BATCH_LIMITS: BatchLimits = { events: 500, bytes: 4 * 1024 * 1024, scanned: 5_000 };

/** Result of one read of the log. */
export type Reading = {
  /** Null without any readable event, of whatever type. */
  readonly batch: Batch | null;
  /** More events can be read immediately. */
  readonly more: boolean;
  /** An older transaction prevents committed events from being read. */
  readonly heldBack: boolean;
};

type Reached = { readonly reached: null } | { readonly reached: Position; readonly lastId: string };

type BatchRow = Pick<Reading, "more" | "heldBack"> & Reached & (EventRow | { readonly at: null });

/**
 * The readable events after a position in log order. An event is readable once no transaction that
 * was running when it was written can still commit an earlier one (infra/decisions/0001).
 */
export async function readBatch(
  reads: Pick<Statements, "any">,
  after: Position,
  types: readonly string[] | undefined,
  limits: BatchLimits = BATCH_LIMITS,
): Promise<Reading> {
  const [first, ...further] = (await reads.any(
    looking(after, types, limits),
  )) as readonly BatchRow[];
  if (first === undefined) throw new Error("a look at the log has no answer");
  const { more, heldBack } = first;
  if (first.reached === null) return { batch: null, more, heldBack };
  const events = [first, ...further].flatMap((row) =>
    row.at === null ? [] : [toRecordedEvent(row)],
  );
  return { batch: { events, position: first.reached, eventId: first.lastId }, more, heldBack };
}

function looking(after: Position, types: readonly string[] | undefined, limits: BatchLimits) {
  const { transactionId, position } = cursorOf(after);
  const wantedType = types
    ? sql.fragment`type = any(${sql.array(types, "text")})`
    : sql.fragment`true`;
  const scanned = types ? limits.scanned : limits.events;
  return sql.unsafe`
    with seen as materialized (
      select transaction_id, position, event_id, type, bytes from event_log.events
      where (transaction_id, position) > (${transactionId}::bigint, ${position}::bigint)
        and transaction_id < event_log.horizon()
      order by transaction_id, position
      limit ${scanned}
    ), wanted as materialized (
      select transaction_id, position, event_id, row_number() over place as n,
        sum(bytes) over place as running
      from seen where ${wantedType}
      window place as (order by transaction_id, position)
    ), chosen as materialized (
      select transaction_id, position, event_id from wanted
      where n = 1 or (n <= ${limits.events} and running <= ${limits.bytes})
    ), last_looked_at as (
      select transaction_id, position, event_id from (
        select * from chosen where (select count(*) from chosen) < (select count(*) from wanted)
        union all
        select transaction_id, position, event_id from seen
        where (select count(*) from chosen) = (select count(*) from wanted)
      ) looked_at
      order by transaction_id desc, position desc limit 1
    )
    select event_log.position_text(last_looked_at.transaction_id, last_looked_at.position) as reached,
      last_looked_at.event_id as "lastId",
      (select count(*) from chosen) < (select count(*) from wanted)
        or (select count(*) from seen) = ${scanned} as more,
      exists (
        select from event_log.events where transaction_id >= event_log.horizon()
      ) as "heldBack",
      ${EVENT_COLUMNS}
    from (values (true)) as always
    left join last_looked_at on true
    left join (chosen join event_log.events e using (transaction_id, position)) on true
    order by e.transaction_id, e.position`;
}
