import { isDeepStrictEqual } from "node:util";
import { DatabaseError, escapeIdentifier, type Pool } from "pg";
import type { Checkpoint } from "#infra/event-log/event-log.ts";
import { holdCheckpoint } from "../checkpoint.ts";
import { countParked } from "../parked-events.ts";
import type { Projection, Transaction } from "../projection.ts";
import { inReadModel, LIVE_SCHEMA } from "../read-model-schema.ts";
import type { Filling } from "./fill-aside.ts";
import { readDefinitions, type TableDefinition } from "./table-definitions.ts";

/** The rebuilt tables may not take the place of the live ones. */
export class RebuildRefused extends Error {
  override readonly name = "RebuildRefused";
}

/** Tables that were filled aside, with the indexes of the live ones. */
export type PreparedTables = {
  readonly schema: string;
  readonly definitions: readonly TableDefinition[];
  readonly filling: Filling;
  /** The live tables are not followed: their checkpoint means nothing in the log as it is. */
  readonly replacesMismatch: boolean;
};

/** Vacuum gives way and a batch of the projection ends in less; while they are waited for, nobody waits behind. */
const PATIENT_WAIT = "10s";
/** While readers are waited for, later ones wait behind: better to try again. */
const READERS_WAIT = "250ms";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Puts the tables in `schema` in the place of the live ones, in one transaction with checkpoint and
 * parked events. Holding the checkpoint keeps every projector of the projection from applying
 * anything meanwhile, in whatever process it has the lease; the tables are first brought to where
 * the live ones stand, so that nothing that was shown disappears.
 * @returns false when readers did not let go of the tables: nothing has changed, try again
 * @throws RebuildRefused
 */
export async function switchTables(
  pool: Pool,
  projection: Projection,
  { schema, definitions, filling, replacesMismatch }: PreparedTables,
): Promise<boolean> {
  try {
    await inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
      const names = definitions.map(({ name }) => escapeIdentifier(name)).join(", ");
      await transaction.query(`set local lock_timeout to '${PATIENT_WAIT}'`);
      // Autovacuum gives way to who has waited for a second: READERS_WAIT alone would wait for its end.
      await transaction.query(`lock table ${names} in share update exclusive mode`);
      const { position } = await holdCheckpoint(transaction, projection.name);
      if (!replacesMismatch) await filling.upTo(position);
      await transaction.query(`set local lock_timeout to '${READERS_WAIT}'`);
      await transaction.query(`lock table ${names} in access exclusive mode`);
      await refuseChanged(transaction, projection, definitions);
      if (!replacesMismatch) await refuseParked(transaction, projection, schema);
      for (const definition of definitions) await replaceTable(transaction, schema, definition);
      await replaceBookkeeping(transaction, projection, schema, filling.reached());
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** A migration may have changed the live tables since the others were made like them. */
async function refuseChanged(
  transaction: Transaction,
  { name, tables }: Projection,
  definitions: readonly TableDefinition[],
): Promise<void> {
  await transaction.query("set local search_path to public");
  const present = await readDefinitions(transaction, tables);
  if (!isDeepStrictEqual(present, definitions)) {
    throw new RebuildRefused(`the tables of ${name} were altered meanwhile: rebuild it again`);
  }
}

async function refuseParked(
  transaction: Transaction,
  { name }: Projection,
  schema: string,
): Promise<void> {
  const live = await countParked(transaction, LIVE_SCHEMA, name);
  const rebuilt = await countParked(transaction, schema, name);
  if (rebuilt > live) {
    throw new RebuildRefused(
      `${rebuilt} events of ${name} could not be applied, of the live read model ${live} wait: it stays`,
    );
  }
}

async function replaceTable(
  transaction: Transaction,
  schema: string,
  { name, statistics }: TableDefinition,
): Promise<void> {
  const aside = escapeIdentifier(schema);
  const table = escapeIdentifier(name);
  await transaction.query(`drop table ${LIVE_SCHEMA}.${table}`);
  await transaction.query(`alter table ${aside}.${table} set schema ${LIVE_SCHEMA}`);
  // Indexes and constraints go with their table, extended statistics stay behind.
  for (const object of statistics) {
    const moved = `${aside}.${escapeIdentifier(object.name)}`;
    await transaction.query(`alter statistics ${moved} set schema ${LIVE_SCHEMA}`);
  }
}

async function replaceBookkeeping(
  transaction: Transaction,
  { name }: Projection,
  schema: string,
  { position, eventId }: Checkpoint,
): Promise<void> {
  await transaction.query(`delete from ${LIVE_SCHEMA}.parked_events where projection = $1`, [name]);
  await transaction.query(
    `insert into ${LIVE_SCHEMA}.parked_events select * from ${escapeIdentifier(schema)}.parked_events`,
  );
  await transaction.query(
    `update ${LIVE_SCHEMA}.checkpoints set position = $2, event_id = $3, updated_at = clock_timestamp()
     where projection = $1`,
    [name, position, eventId],
  );
}
