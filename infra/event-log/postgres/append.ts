import {
  type DatabasePoolConnection,
  type FragmentSqlToken,
  sql,
  UniqueIntegrityConstraintViolationError,
} from "slonik";
import { z } from "zod";
import { WrongExpectedRevision } from "../errors.ts";
import { type Appended, NO_STREAM, type Position } from "../event-log.ts";
import type { EventValues } from "./event-values.ts";

type Place = { readonly revision: number; readonly event_id: string; readonly at: Position };

/** Events of an append whose statement is prepared: that of a single command. */
const FEW = 4;

/** A revision that a concurrent append is just committing is seen on the second try. */
const MAX_TRIES = 3;

/**
 * Appends `events` after `expectedRevision`, or finds that exactly these are there already.
 * @throws WrongExpectedRevision
 */
export async function appendEvents(
  connection: DatabasePoolConnection,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended> {
  let actual = NO_STREAM;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const appended = await insert(connection, stream, expectedRevision, events);
    if (appended !== null) return appended;
    const present = await findPresent(connection, stream, expectedRevision, events);
    if (present !== null) return present;
    actual = await lastRevision(connection, stream);
    if (actual !== expectedRevision) break;
  }
  throw new WrongExpectedRevision(stream, expectedRevision, actual);
}

/**
 * One statement, so one round trip and its own transaction. Revisions are never removed: that the
 * expected one is there cannot become untrue, and that the next is free is the unique constraint's
 * to decide. A transaction id is taken after the expected revision is seen to be committed, so a
 * stream's transaction numbers ascend with its revisions.
 *
 * Returns null when the expected revision is not there or the next one is taken. That error is
 * caught here because slonik closes the connection of a handler that throws.
 */
async function insert(
  connection: DatabasePoolConnection,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const values = events.map(rowOf);
  // There is a text for each number of events.
  const { length } = events;
  const tag = length <= FEW ? sql.prepared(`append_${length}`, z.unknown()) : sql.unsafe;
  const query = tag`
    insert into event_log.events
      (transaction_id, stream, revision, event_id, type, data, payload, metadata, bytes)
    select event_log.transaction_number(pg_current_xact_id()), ${stream}, ${expectedRevision} + n,
      id, type, data, payload, metadata, bytes
    from (values ${sql.join(values, sql.fragment`, `)})
      as event (n, id, type, data, payload, metadata, bytes)
    where ${expectedRevision}::integer = ${NO_STREAM} or exists (
      select from event_log.events where stream = ${stream} and revision = ${expectedRevision}
    )
    order by n
    returning revision, event_id, event_log.position_text(transaction_id, position) as at`;
  try {
    return lastOf((await connection.any(query)) as readonly Place[]);
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError) return null;
    throw error;
  }
}

function rowOf(event: EventValues, index: number): FragmentSqlToken {
  const payload = event.payload && sql.binary(event.payload);
  return sql.fragment`(${index + 1}::integer, ${event.id}::uuid, ${event.type}::text,
    ${event.data}::json, ${payload}::bytea, ${event.metadata}::json, ${event.bytes}::integer)`;
}

/** The answer that the first append of these events got, null when others are in their place. */
async function findPresent(
  connection: DatabasePoolConnection,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const rows = (await connection.any(sql.unsafe`
    select revision, event_id, event_log.position_text(transaction_id, position) as at
    from event_log.events
    where stream = ${stream} and revision > ${expectedRevision}
      and revision <= ${expectedRevision + events.length}
    order by revision`)) as readonly Place[];
  const same =
    rows.length === events.length &&
    rows.every((row, index) => row.event_id === events[index]?.id.toLowerCase());
  return same ? lastOf(rows) : null;
}

async function lastRevision(connection: DatabasePoolConnection, stream: string): Promise<number> {
  const row = (await connection.maybeOne(sql.unsafe`
    select revision from event_log.events
    where stream = ${stream} order by revision desc limit 1`)) as Pick<Place, "revision"> | null;
  return row?.revision ?? NO_STREAM;
}

function lastOf(places: readonly Place[]): Appended | null {
  const last = places.at(-1);
  return last === undefined ? null : { revision: last.revision, position: last.at };
}
