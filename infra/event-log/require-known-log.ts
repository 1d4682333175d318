import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { LOG_STREAM } from "#contracts/names.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { fromRecorded } from "./domain-events.ts";
import { LogMismatch } from "./errors.ts";
import { BEGINNING, type Checkpoint, type EventLog, type Position } from "./event-log.ts";

/** The database whose checkpoints belong to the log. */
export type Database = Pick<Pool, "query">;

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

export async function readCheckpoints(database: Database): Promise<NamedCheckpoint[]> {
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
export async function findDifference(
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
export async function readLogIdentity(log: Pick<EventLog, "read">): Promise<string | null> {
  const [recorded] = await log.read(LOG_STREAM, 0, 1);
  if (recorded === undefined) return null;
  const event = fromRecorded(recorded);
  if (event.type !== "LogIdentified") throw new Error(`${event.type} begins ${LOG_STREAM}`);
  return event.data.logId;
}
