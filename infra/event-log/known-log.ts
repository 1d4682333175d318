import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";
import { LogMismatch } from "./errors.ts";
import { BEGINNING, type Checkpoint, type EventLog, type Position } from "./event-log.ts";
import { identifyLog, readLogIdentity } from "./log-identity.ts";

/** The database whose checkpoints belong to the log. */
type Database = Pick<Pool, "query">;

/** A log as the database of its checkpoints knows it. */
export type KnownLog = {
  readonly logId: string;
  /**
   * Null until the log or the database was restored. Versions may come again with other content
   * from then on, which entity tags tell apart by it.
   */
  readonly epoch: string | null;
};

const KnownRow = z.object({ logId: z.uuid(), epoch: z.string().nullable() });

const CheckpointRow = z.object({
  of: z.string(),
  position: z.string(),
  eventId: z.uuid().nullable(),
});

/** A checkpoint of any subscriber; `of` names it for people. */
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
 * Knows the log again at a start: it has the identity that the database remembers, and the event of
 * every checkpoint is where it was. A log without identity is given one, and a database that
 * remembers none remembers it, when no checkpoint lies beyond the log's end.
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
 * Compares the log with what the database remembers of it, and changes nothing.
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

/** What the log does instead of holding the event of a checkpoint; null where it holds it. */
async function findDifference(
  log: Pick<EventLog, "head" | "eventAt">,
  { position, eventId }: Checkpoint,
): Promise<string | null> {
  const found = await log.eventAt(position);
  if (eventId === null ? found !== null : found === eventId) return null;
  if ((await log.head()) < position) {
    return "ends before the read models (restored from an older backup?)";
  }
  // In an event store a checkpoint from before ids were kept may stand at an event of the server's own
  // that has expired.
  if (eventId === null) return null;
  return "does not hold what the read models were made from (restored from an older backup and written to since?)";
}

export function readKnownLog(database: Database): Promise<KnownLog | null> {
  return statementsOn(database).maybeOne(sql.type(KnownRow)`
    select log_id as "logId", epoch from event_log.known_log`);
}

/**
 * Makes the database remember the log as it is, once its read models were made from it: forgets the
 * checkpoints that it does not hold, whose subscribers begin again, and enters a new epoch.
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
  // Kept answers may be those to changes that the log does not hold: repeated, they are made again.
  const { run } = statementsOn(database);
  await run(sql.unsafe`delete from vault.idempotency_keys`);
  await run(sql.unsafe`
    insert into event_log.known_log (log_id, epoch)
    values (${await identifyLog(log, now)}, ${newEpoch(now())})
    on conflict (only_row) do update set log_id = excluded.log_id, epoch = excluded.epoch`);
}

/** Of the read models' checkpoints none is left that the log does not hold. */
async function forgetCheckpoint(database: Database, of: string): Promise<void> {
  const { run } = statementsOn(database);
  await run(sql.unsafe`delete from notifications.checkpoints where 'relay ' || relay = ${of}`);
  await run(sql.unsafe`delete from analytics.checkpoints where 'feed ' || feed = ${of}`);
}

/** Seconds, in hexadecimal: no two restores have the same. */
function newEpoch(at: Date): string {
  return Math.floor(at.getTime() / 1_000).toString(16);
}
