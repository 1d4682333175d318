import { isDeepStrictEqual } from "node:util";
import { DatabaseError, type Pool } from "pg";
import { type QuerySqlToken, sql } from "slonik";
import { sleep } from "#infra/kernel/waiting.ts";
import type { Checkpoint, EventLog } from "#infra/log/event-log.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { countParked } from "../engine/parked.ts";
import { holdCheckpoint } from "../engine/progress.ts";
import {
  inReadModel,
  LIVE_SCHEMA,
  type Projection,
  type Transaction,
} from "../engine/projection.ts";
import {
  addIndexes,
  createAsideTables,
  dropAsideTables,
  type Filling,
  fillAside,
  readDefinitions,
  type TableDefinition,
} from "./aside-tables.ts";

/**
 * The phases of a rebuild; `waiting for readers` while a reader, such as a large export, holds a
 * table.
 */
export type RebuildPhase = "filling" | "indexing" | "switching" | "waiting for readers";

export type RebuildDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt" | "head">;
  /**
   * A pool other than that of the live projection; its statements may take as long as building an
   * index.
   */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly onPhase: (phase: RebuildPhase) => void;
  /**
   * Set when the live tables were built from another log, or a longer one: rows that were visible
   * may disappear.
   */
  readonly replacesMismatch?: boolean;
};

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

export function rebuildSchema({ name }: Projection): string {
  return `rebuild_${name}`;
}

/**
 * Rebuilds a projection's read model from the start of the log in separate tables, and then replaces
 * the live tables, which serve until then. When a rebuild is interrupted, they continue to serve,
 * and the next rebuild starts again. The caller prevents concurrent rebuilds.
 * @see infra/decisions/0014-rebuilding-read-models.md
 * @throws RebuildRefused
 */
export async function rebuildProjection(deps: RebuildDeps, projection: Projection): Promise<void> {
  const { log, pool, signal, onPhase, replacesMismatch = false } = deps;
  const schema = rebuildSchema(projection);
  const definitions = await readDefinitions(statementsOn(pool), projection.tables);
  await createAsideTables(pool, schema, definitions);
  try {
    const filling = fillAside(deps, projection, schema);
    onPhase("filling");
    await filling.upTo(await log.head());
    onPhase("indexing");
    await addIndexes(pool, schema, definitions);
    onPhase("switching");
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      await filling.upTo(await log.head());
      signal.throwIfAborted();
      const prepared = { schema, definitions, filling, replacesMismatch };
      if (await switchTables(pool, projection, prepared)) return;
      onPhase("waiting for readers");
      await sleep(wait, signal);
    }
  } finally {
    await dropAsideTables(pool, schema);
  }
}

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
async function switchTables(
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

async function refuseParked(transaction: Transaction, { name }: Projection, schema: string) {
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
