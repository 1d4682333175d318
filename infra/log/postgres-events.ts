/** Events of the log in PostgreSQL: appended, read forwards and backwards, and their rows. */

import { DatabaseError, type PoolClient } from "pg";
import { type QuerySqlToken, sql } from "slonik";
import { z } from "zod";
import type { EventMetadata } from "#contracts/events/log.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { sleep } from "#infra/kernel/waiting.ts";
import {
  type ClientStatements,
  isoTime,
  type Lookups,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import {
  type Appended,
  type BackwardsBatch,
  type BackwardsOptions,
  type Batch,
  type EventHead,
  eventBytes,
  type NewEvent,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  requireAppendSize,
  START,
  WrongExpectedRevision,
} from "./event-log.ts";

const StoredPlace = z.object({ revision: z.int(), event_id: z.string(), at: z.string() });
type StoredPlace = z.infer<typeof StoredPlace>;

/** Appends of up to this many events use a prepared statement: those of single commands. */
const FEW = 4;

const UNIQUE_VIOLATION = "23505";

/** A second try sees a revision that a concurrent append was committing during the first. */
const MAX_TRIES = 3;

/**
 * Appends `events` after `expectedRevision`, or finds that exactly these events are there already.
 * @throws WrongExpectedRevision
 */
export async function appendEvents(
  client: PoolClient,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended> {
  const log = statementsOn(client);
  let actual = NO_STREAM;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const appended = await insert(log, stream, expectedRevision, events);
    if (appended !== null) return appended;
    const present = await findPresent(log, stream, expectedRevision, events);
    if (present !== null) return present;
    actual = await lastRevision(log, stream);
    if (actual !== expectedRevision) break;
  }
  throw new WrongExpectedRevision(stream, expectedRevision, actual);
}

/**
 * One statement: one round trip and its own transaction. Revisions are never removed, so an expected
 * revision that exists stays; whether the next one is free is decided by the unique constraint. The
 * transaction id is assigned after the expected revision was seen committed, so the transaction ids
 * of a stream ascend with its revisions.
 *
 * Returns null when the expected revision is missing or the next one is taken.
 */
async function insert(
  log: ClientStatements,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  try {
    return lastOf(await log.any(insertOf(stream, expectedRevision, events)));
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return null;
    throw error;
  }
}

function insertOf(
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): QuerySqlToken<typeof StoredPlace> {
  const rows = events.map(
    ({ id, type, data, payload, metadata, bytes }, i) => sql.fragment`
      (${i + 1}::integer, ${id}::uuid, ${type}::text, ${data}::json,
        ${payload && sql.binary(payload)}::bytea, ${metadata}::json, ${bytes}::integer)`,
  );
  const ask =
    rows.length > FEW ? sql.type(StoredPlace) : sql.prepared(`append_${rows.length}`, StoredPlace);
  return ask`
    insert into event_log.events
      (transaction_id, stream, revision, event_id, type, data, payload, metadata, bytes)
    select event_log.transaction_number(pg_current_xact_id()), ${stream}, ${expectedRevision}::integer + n,
      id, type, data, payload, metadata, bytes
    from (values ${sql.join(rows, sql.fragment`, `)})
      as event (n, id, type, data, payload, metadata, bytes)
    where ${expectedRevision}::integer = ${NO_STREAM} or exists (
      select from event_log.events where stream = ${stream} and revision = ${expectedRevision}
    )
    order by n
    returning revision, event_id, event_log.position_text(transaction_id, position) as at`;
}

/** The answer of the earlier append of these events; null when other events are in their place. */
async function findPresent(
  log: ClientStatements,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const rows = await log.any(sql.type(StoredPlace)`
    select revision, event_id, event_log.position_text(transaction_id, position) as at
    from event_log.events
    where stream = ${stream} and revision > ${expectedRevision}
      and revision <= ${expectedRevision + events.length}
    order by revision`);
  const same =
    rows.length === events.length &&
    rows.every((row, index) => row.event_id === events[index]?.id.toLowerCase());
  return same ? lastOf(rows) : null;
}

async function lastRevision(log: ClientStatements, stream: string): Promise<number> {
  const row = await log.maybeOne(sql.type(StoredPlace.pick({ revision: true }))`
    select revision from event_log.events
    where stream = ${stream} order by revision desc limit 1`);
  return row?.revision ?? NO_STREAM;
}

function lastOf(places: readonly StoredPlace[]): Appended | null {
  const last = places.at(-1);
  return last === undefined ? null : { revision: last.revision, position: last.at as Position };
}

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

const RECORDED_AT = isoTime("e.recorded_at");

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
type EventValues = {
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
