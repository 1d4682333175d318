import { DatabaseError, type PoolClient } from "pg";
import { type QuerySqlToken, sql } from "slonik";
import { z } from "zod";
import { type ClientStatements, statementsOn } from "#infra/postgres/statements.ts";
import { WrongExpectedRevision } from "../errors.ts";
import { type Appended, NO_STREAM, type Position } from "../event-log.ts";
import type { EventValues } from "./event-row.ts";

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
