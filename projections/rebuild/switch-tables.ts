import { isDeepStrictEqual } from "node:util";
import { DatabaseError, type Pool } from "pg";
import { type QuerySqlToken, sql } from "slonik";
import type { Checkpoint } from "#infra/event-log/event-log.ts";
import { holdCheckpoint } from "../engine/checkpoint.ts";
import { countParked } from "../engine/parked-events.ts";
import type { Projection, Transaction } from "../engine/projection.ts";
import { inReadModel, LIVE_SCHEMA } from "../engine/read-model-schema.ts";
import type { Filling } from "./fill-aside.ts";
import { readDefinitions, type TableDefinition } from "./table-definitions.ts";

/** The rebuilt tables may not replace the live ones. */
export class RebuildRefused extends Error {
  override readonly name = "RebuildRefused";
}

/** Filled tables with the indexes of the live ones. */
export type PreparedTables = {
  readonly schema: string;
  readonly definitions: readonly TableDefinition[];
  readonly filling: Filling;
  /** Set when the live tables' checkpoint means nothing in the present log and is not compared. */
  readonly replacesMismatch: boolean;
};

/**
 * For locks that do not block readers: autovacuum yields, and a batch of the projection takes less
 * time.
 */
const PATIENT_WAIT = "10s";
/** For locks that block later readers behind this transaction: better to give up soon and try again. */
const READERS_WAIT = "250ms";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Replaces the live tables by those in `schema`, in one transaction with checkpoint and parked
 * events. Holding the checkpoint prevents all projectors of the projection, in any process, from
 * applying batches meanwhile. The new tables first catch up with the live ones, so that visible rows
 * do not disappear.
 * @returns false when readers held the tables for too long: nothing has changed, try again
 * @throws RebuildRefused
 */
export async function switchTables(
  pool: Pool,
  projection: Projection,
  { schema, definitions, filling, replacesMismatch }: PreparedTables,
): Promise<boolean> {
  try {
    await inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
      const tables = definitions.map(({ name }) => sql.identifier([name]));
      const names = sql.join(tables, sql.fragment`, `);
      await transaction.run(waitingAtMost(PATIENT_WAIT));
      // Autovacuum yields only after a second of waiting, which is longer than READERS_WAIT.
      await transaction.run(sql.unsafe`lock table ${names} in share update exclusive mode`);
      const { position } = await holdCheckpoint(transaction, projection.name);
      if (!replacesMismatch) await filling.upTo(position);
      await transaction.run(waitingAtMost(READERS_WAIT));
      await transaction.run(sql.unsafe`lock table ${names} in access exclusive mode`);
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

/** A migration may have changed the live tables since they were copied. */
async function refuseChanged(
  transaction: Transaction,
  { name, tables }: Projection,
  definitions: readonly TableDefinition[],
): Promise<void> {
  await transaction.run(sql.unsafe`set local search_path to public`);
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

function waitingAtMost(time: string): QuerySqlToken {
  return sql.unsafe`select set_config('lock_timeout', ${time}, true)`;
}

async function replaceTable(
  transaction: Transaction,
  schema: string,
  { name, statistics }: TableDefinition,
): Promise<void> {
  const live = sql.identifier([LIVE_SCHEMA]);
  await transaction.run(sql.unsafe`drop table ${sql.identifier([LIVE_SCHEMA, name])}`);
  await transaction.run(
    sql.unsafe`alter table ${sql.identifier([schema, name])} set schema ${live}`,
  );
  // Indexes and constraints move with their table, extended statistics do not.
  for (const object of statistics) {
    const moved = sql.identifier([schema, object.name]);
    await transaction.run(sql.unsafe`alter statistics ${moved} set schema ${live}`);
  }
}

async function replaceBookkeeping(
  transaction: Transaction,
  { name }: Projection,
  schema: string,
  { position, eventId }: Checkpoint,
): Promise<void> {
  const parked = sql.identifier([LIVE_SCHEMA, "parked_events"]);
  await transaction.run(sql.unsafe`delete from ${parked} where projection = ${name}`);
  await transaction.run(sql.unsafe`
    insert into ${parked} select * from ${sql.identifier([schema, "parked_events"])}`);
  await transaction.run(sql.unsafe`
    update ${sql.identifier([LIVE_SCHEMA, "checkpoints"])}
    set position = ${position}, event_id = ${eventId}, updated_at = clock_timestamp()
    where projection = ${name}`);
}
