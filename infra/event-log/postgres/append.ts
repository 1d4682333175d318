import { DatabaseError, type PoolClient } from "pg";
import { WrongExpectedRevision } from "../errors.ts";
import { type Appended, NO_STREAM, type Position } from "../event-log.ts";
import type { EventValues } from "./event-values.ts";

type Place = { readonly revision: number; readonly event_id: string; readonly at: Position };

/** Events of an append whose statement is prepared: that of a single command. */
const FEW = 4;

const VALUES_OF_EVENT = 6;

const UNIQUE_VIOLATION = "23505";

/** A revision that a concurrent append is just committing is seen on the second try. */
const MAX_TRIES = 3;

/**
 * Appends `events` after `expectedRevision`, or finds that exactly these are there already.
 * @throws WrongExpectedRevision
 */
export async function appendEvents(
  client: PoolClient,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended> {
  let actual = NO_STREAM;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const appended = await insert(client, stream, expectedRevision, events);
    if (appended !== null) return appended;
    const present = await findPresent(client, stream, expectedRevision, events);
    if (present !== null) return present;
    actual = await lastRevision(client, stream);
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
 * Returns null when the expected revision is not there or the next one is taken.
 */
async function insert(
  client: PoolClient,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const values = [stream, expectedRevision, ...events.flatMap(valuesOf)];
  const statement = INSERTS[events.length] ?? { text: insertOf(events.length) };
  try {
    const { rows } = await client.query<Place>({ ...statement, values });
    return lastOf(rows);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return null;
    throw error;
  }
}

function valuesOf(event: EventValues): unknown[] {
  return [event.id, event.type, event.data, event.payload, event.metadata, event.bytes];
}

/** The statement that inserts so many events: $1 is their stream, $2 the expected revision. */
function insertOf(length: number): string {
  const rows = Array.from({ length }, (_, index) => {
    const [id, type, data, payload, metadata, bytes] = [3, 4, 5, 6, 7, 8].map(
      (n) => `$${n + index * VALUES_OF_EVENT}`,
    );
    return `(${index + 1}, ${id}::uuid, ${type}::text, ${data}::json, ${payload}::bytea,
      ${metadata}::json, ${bytes}::integer)`;
  });
  return `
    insert into event_log.events
      (transaction_id, stream, revision, event_id, type, data, payload, metadata, bytes)
    select event_log.transaction_number(pg_current_xact_id()), $1, $2::integer + n,
      id, type, data, payload, metadata, bytes
    from (values ${rows.join(", ")}) as event (n, id, type, data, payload, metadata, bytes)
    where $2 = ${NO_STREAM} or exists (
      select from event_log.events where stream = $1 and revision = $2
    )
    order by n
    returning revision, event_id, event_log.position_text(transaction_id, position) as at`;
}

const INSERTS = Array.from({ length: FEW + 1 }, (_, length) => ({
  name: `append_${length}`,
  text: insertOf(length),
}));

/** The answer that the first append of these events got, null when others are in their place. */
async function findPresent(
  client: PoolClient,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const { rows } = await client.query<Place>(
    `select revision, event_id, event_log.position_text(transaction_id, position) as at
    from event_log.events
    where stream = $1 and revision > $2 and revision <= $3
    order by revision`,
    [stream, expectedRevision, expectedRevision + events.length],
  );
  const same =
    rows.length === events.length &&
    rows.every((row, index) => row.event_id === events[index]?.id.toLowerCase());
  return same ? lastOf(rows) : null;
}

async function lastRevision(client: PoolClient, stream: string): Promise<number> {
  const { rows } = await client.query<Pick<Place, "revision">>(
    `select revision from event_log.events
    where stream = $1 order by revision desc limit 1`,
    [stream],
  );
  return rows[0]?.revision ?? NO_STREAM;
}

function lastOf(places: readonly Place[]): Appended | null {
  const last = places.at(-1);
  return last === undefined ? null : { revision: last.revision, position: last.at };
}
