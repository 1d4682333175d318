import { randomUUID } from "node:crypto";
import { sql } from "slonik";
import { LOG_STREAM } from "#contracts/names.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { toNewEvents } from "./domain-events.ts";
import { WrongExpectedRevision } from "./errors.ts";
import { type EventLog, NO_STREAM } from "./event-log.ts";
import {
  type Database,
  findDifference,
  type KnownLog,
  readCheckpoints,
  readKnownLog,
  readLogIdentity,
  requireKnownLog,
} from "./require-known-log.ts";

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
