import { sql } from "slonik";
import { sleep } from "#infra/kernel/backoff.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { BackwardsBatch, BackwardsOptions, EventHead, Position } from "../event-log.ts";
import {
  cursorOf,
  EVENT_COLUMNS,
  type EventRow,
  RECORDED_AT,
  toRecordedEvent,
} from "./event-row.ts";

export type BackwardsLimits = {
  /** Most rows examined, without their data. */
  readonly scanned: number;
  /** Most bytes of data and metadata fetched, except that a single larger event makes a batch. */
  readonly bytes: number;
};

const BACKWARDS_LIMITS: BackwardsLimits = { scanned: 2_000, bytes: 4 * 1024 * 1024 };

type HeadRow = EventHead & { readonly bytes: number };

/** The readable events before a position, newest first. */
export async function readBackwards(
  reads: Pick<Statements, "any">,
  { before, limit, wanted }: BackwardsOptions,
  limits: BackwardsLimits = BACKWARDS_LIMITS,
): Promise<BackwardsBatch> {
  const heads = await headsBefore(reads, before, limits.scanned);
  const chosen: HeadRow[] = [];
  let bytes = 0;
  let examined = 0;
  for (const head of heads) {
    if (wanted(head)) {
      if (chosen.length > 0 && bytes + head.bytes > limits.bytes) break;
      chosen.push(head);
      bytes += head.bytes;
    }
    examined += 1;
    if (chosen.length === limit) break;
  }
  const isBeginning = examined === heads.length && heads.length < limits.scanned;
  const position = isBeginning ? null : (heads[examined - 1]?.position ?? null);
  return { events: await eventsAt(reads, chosen), position, bytes };
}

async function headsBefore(
  reads: Pick<Statements, "any">,
  before: Position | null,
  limit: number,
): Promise<readonly HeadRow[]> {
  const place = before === null ? null : cursorOf(before);
  const isBefore = place
    ? sql.fragment`(e.transaction_id, e.position) < (${place.transactionId}::bigint, ${place.position}::bigint)`
    : sql.fragment`true`;
  return (await reads.any(sql.unsafe`
    select event_log.position_text(e.transaction_id, e.position) as position, e.event_id as id,
      e.stream, e.revision, e.type, e.metadata, ${RECORDED_AT} as "recordedAt", e.bytes
    from event_log.events e
    where ${isBefore} and e.transaction_id < event_log.horizon()
    order by e.transaction_id desc, e.position desc
    limit ${limit}`)) as readonly HeadRow[];
}

async function eventsAt(reads: Pick<Statements, "any">, heads: readonly EventHead[]) {
  if (heads.length === 0) return [];
  const places = heads.map(({ position }) => cursorOf(position));
  const transactionIds = places.map(({ transactionId }) => transactionId);
  const positions = places.map(({ position }) => position);
  const rows = (await reads.any(sql.unsafe`
    select ${EVENT_COLUMNS}
    from unnest(
      ${sql.array(transactionIds, "int8")}, ${sql.array(positions, "int8")}
    ) as place (transaction_id, position)
    join event_log.events e using (transaction_id, position)`)) as readonly EventRow[];
  // Sorting there, these connections would rather walk the whole log in its order.
  return rows.toSorted((a, b) => (a.at < b.at ? 1 : -1)).map(toRecordedEvent);
}

const POLL_MS = 5;
const MAX_WAIT_MS = 3_000;

/** Waits until what the log holds now is readable, at most three seconds. */
export async function untilReadable(reads: Lookups, signal: AbortSignal): Promise<void> {
  const last = (await reads.maybeOne(sql.unsafe`
    select transaction_id::text as id, transaction_id < event_log.horizon() as "isReadable"
    from event_log.events
    order by transaction_id desc, position desc limit 1`)) as LastTransaction | null;
  if (last === null) return;
  const deadline = performance.now() + MAX_WAIT_MS;
  let { isReadable } = last;
  while (!isReadable && !signal.aborted && performance.now() < deadline) {
    await sleep(POLL_MS, signal);
    ({ isReadable } = (await reads.maybeOne(sql.unsafe`
      select ${last.id}::bigint < event_log.horizon() as "isReadable"`)) as LastTransaction);
  }
}

type LastTransaction = { readonly id: string; readonly isReadable: boolean };
