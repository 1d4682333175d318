/** Whether this is the log that the database remembers, as a whole and at each checkpoint. */

import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { LOG_STREAM } from "#contracts/events/log.ts";
import { openSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { fromRecorded, toNewEvents } from "./domain-events.ts";
import {
  BEGINNING,
  type Checkpoint,
  type EventLog,
  LogMismatch,
  NO_STREAM,
  type Position,
  WrongExpectedRevision,
} from "./event-log.ts";

/**
 * Verifies at start-up that this is the log that the database remembers: its identity is the same,
 * and each checkpoint's event is at its place. If no checkpoint lies beyond the log's end, a log
 * without an identity gets one, and a database that remembers none stores it.
 * @throws LogMismatch, with a sentence for the operator
 */
export async function recogniseLog(
  log: Pick<EventLog, "read" | "append" | "head" | "eventAt">,
  database: Database,
  now: () => Date,
): Promise<KnownLog> {
  await requireKnownLog(log, database);
  const known = await readKnownLog(database);
  if (known !== null) return known;
  const logId = await identifyLog(log, now);
  await statementsOn(database).run(sql.unsafe`
    insert into event_log.known_log (log_id) values (${logId}) on conflict do nothing`);
  return recogniseLog(log, database, now);
}

/**
 * Records the log as it is now, after the read models were rebuilt from it: deletes checkpoints that
 * the log does not contain, so that their subscribers start again, and begins a new epoch.
 */
export async function adoptLog(
  log: Pick<EventLog, "read" | "append" | "head" | "eventAt">,
  database: Database,
  now: () => Date,
): Promise<void> {
  for (const checkpoint of await readCheckpoints(database)) {
    if ((await findDifference(log, checkpoint)) === null) continue;
    await forgetCheckpoint(database, checkpoint.of);
  }
  // Stored answers may belong to changes that the log does not contain.
  const { run } = statementsOn(database);
  await run(sql.unsafe`delete from vault.idempotency_keys`);
  await run(sql.unsafe`
    insert into event_log.known_log (log_id, epoch)
    values (${await identifyLog(log, now)}, ${newEpoch(now())})
    on conflict (only_row) do update set log_id = excluded.log_id, epoch = excluded.epoch`);
}

/** Deletes a read model's checkpoint that the log does not contain. */
async function forgetCheckpoint(database: Database, of: string): Promise<void> {
  const { run } = statementsOn(database);
  await run(sql.unsafe`delete from notifications.checkpoints where 'relay ' || relay = ${of}`);
  await run(sql.unsafe`delete from analytics.checkpoints where 'feed ' || feed = ${of}`);
}

/** Seconds since 1970 in hexadecimal: different for every restore. */
function newEpoch(at: Date): string {
  return Math.floor(at.getTime() / 1_000).toString(16);
}

/** The log's identity, created when missing; concurrent writers all get the same. */
async function identifyLog(
  log: Pick<EventLog, "read" | "append">,
  now: () => Date,
): Promise<string> {
  const present = await readLogIdentity(log);
  if (present !== null) return present;
  const logId = randomUUID();
  const origin = { commandId: randomUUID(), actor: "system", at: now() };
  const events = toNewEvents(LOG_STREAM, 0, [{ type: "LogIdentified", data: { logId } }], origin);
  try {
    await log.append(LOG_STREAM, NO_STREAM, events);
    return logId;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return identifyLog(log, now);
  }
}

/** The database whose checkpoints belong to the log. */
type Database = Pick<Pool, "query">;

/** A log and what its database remembers about it. */
export type KnownLog = {
  readonly logId: string;
  /**
   * Null until the first restore of the log or the database. From then on a version number may recur
   * with other content; entity tags include the epoch to tell them apart.
   */
  readonly epoch: string | null;
};

const KnownRow = z.object({ logId: z.uuid(), epoch: z.string().nullable() });

const CheckpointRow = z.object({
  of: z.string(),
  position: z.string(),
  eventId: z.uuid().nullable(),
});

/** A subscriber's checkpoint; `of` is the subscriber's name, for messages. */
type NamedCheckpoint = Checkpoint & { readonly of: string };

async function readCheckpoints(database: Database): Promise<NamedCheckpoint[]> {
  const { position: beginning } = BEGINNING;
  const rows = await statementsOn(database).any(sql.type(CheckpointRow)`
    select 'read model ' || projection as of, position, event_id as "eventId"
    from read_model.checkpoints where position <> ${beginning}
    union all
    select 'relay ' || relay, position, event_id from notifications.checkpoints
    where position <> ${beginning}
    union all
    select 'feed ' || feed, position, event_id from analytics.checkpoints
    where position <> ${beginning}`);
  return rows.map((row) => ({ ...row, position: row.position as Position }));
}

const REMEDY =
  "Where that is meant, stop every process of the service: `npm run rebuild` then makes the read models anew from the log as it is";

/**
 * Compares the log with the database's record of it, without changing anything.
 * @throws LogMismatch, with a sentence for the operator
 */
export async function requireKnownLog(
  log: Pick<EventLog, "read" | "head" | "eventAt">,
  database: Database,
): Promise<void> {
  const known = await readKnownLog(database);
  if (known !== null && (await readLogIdentity(log)) !== known.logId) {
    throw new LogMismatch(
      `The event log is another log than the one that the read models were made from. ${REMEDY}`,
    );
  }
  for (const checkpoint of await readCheckpoints(database)) {
    const difference = await findDifference(log, checkpoint);
    if (difference === null) continue;
    const place = `at the checkpoint of ${checkpoint.of}`;
    throw new LogMismatch(`The event log ${difference}, ${place}. ${REMEDY}`);
  }
}

/** How the log differs at a checkpoint; null when the checkpoint's event is at its place. */
async function findDifference(
  log: Pick<EventLog, "head" | "eventAt">,
  { position, eventId }: Checkpoint,
): Promise<string | null> {
  const found = await log.eventAt(position);
  if (eventId === null ? found !== null : found === eventId) return null;
  if ((await log.head()) < position) {
    return "ends before the read models (restored from an older backup?)";
  }
  // An old checkpoint without an id may stand at an event of the server's own, expired since.
  if (eventId === null) return null;
  return "does not hold what the read models were made from (restored from an older backup and written to since?)";
}

export function readKnownLog(database: Database): Promise<KnownLog | null> {
  return statementsOn(database).maybeOne(sql.type(KnownRow)`
    select log_id as "logId", epoch from event_log.known_log`);
}

/** The identity stored in the log; null without one. */
async function readLogIdentity(log: Pick<EventLog, "read">): Promise<string | null> {
  const [recorded] = await log.read(LOG_STREAM, 0, 1);
  if (recorded === undefined) return null;
  const event = fromRecorded(recorded);
  if (event.type !== "LogIdentified") throw new Error(`${event.type} begins ${LOG_STREAM}`);
  return event.data.logId;
}

/** EVENTSTORE_URL and the database do not belong together, or no server answers. */
export class UnusableEventStore extends Error {
  override readonly name = "UnusableEventStore";
}

const Content = z.object({ hasEvents: z.boolean(), hasCheckpoints: z.boolean() });

/**
 * Positions of one log mean nothing in another, so read models may continue only with the log that
 * they were built from.
 * @throws UnusableEventStore
 */
export async function requireSameLog(databaseUrl: string, eventStoreUrl: string | null) {
  await using session = await openSession(databaseUrl, "event log choice");
  const { hasEvents, hasCheckpoints } = await statementsOn(session.client).one(sql.type(Content)`
    select exists (select from event_log.events) as "hasEvents",
      exists (select from read_model.checkpoints where position <> '') as "hasCheckpoints"`);
  if (eventStoreUrl !== null && hasEvents) {
    throw new UnusableEventStore("the database holds an event log, which would be left behind");
  }
  if (eventStoreUrl === null && hasCheckpoints && !hasEvents) {
    throw new UnusableEventStore("it must be set: the read models come from an event store");
  }
}

/**
 * Verifies that a checkpoint's event is still at its position. A checkpoint without an id cannot be
 * verified and passes.
 * @throws LogMismatch
 */
export async function requireSamePlace(
  log: Pick<EventLog, "eventAt">,
  { position, eventId }: Checkpoint,
): Promise<void> {
  if (eventId === null) return;
  const found = await log.eventAt(position);
  if (found === eventId) return;
  throw new LogMismatch(`event ${eventId} is not at ${position} of the log`);
}
