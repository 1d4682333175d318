/**
 * Copies of the live tables in another schema: made by the definitions of these, and filled from
 * the start of the log.
 */

import { setTimeout } from "node:timers/promises";
import { escapeIdentifier, type Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { readAhead } from "#infra/kernel/iteration.ts";
import {
  type Batch,
  BEGINNING,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
} from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { inTransaction, type Statements } from "#infra/postgres/statements.ts";
import { LIVE_SCHEMA, type ProjectedTable, type Projection } from "../engine/projection.ts";
import { applyBatch, batchesOf, type Part, partsOf } from "../engine/run.ts";

/** Tables that applying a batch writes besides those of the projection. */
const BOOKKEEPING = ["checkpoints", "parked_events"] as const;

const LIKE = "including defaults including generated including identity including storage";

const RETRY_MS = 500;
const MAX_FAILURES = 5;

/**
 * Creates empty copies of the live tables in a separate schema, replacing the remains of an earlier
 * run. Keys, checks and the indexes on which writes rely exist from the start; `addIndexes` creates those that only
 * readers need.
 */
export async function createAsideTables(
  pool: Pool,
  schema: string,
  definitions: readonly TableDefinition[],
): Promise<void> {
  const aside = escapeIdentifier(schema);
  await dropAsideTables(pool, schema);
  await inTransaction(pool, async (transaction) => {
    await transaction.query(`create schema ${aside}`);
    for (const name of BOOKKEEPING) {
      await transaction.query(
        `create table ${aside}.${name} (like ${LIVE_SCHEMA}.${name} including all)`,
      );
    }
    for (const { name, constraints, writeIndexes } of definitions) {
      const table = escapeIdentifier(name);
      await transaction.query(
        `create table ${aside}.${table} (like ${LIVE_SCHEMA}.${table} ${LIKE})`,
      );
      for (const constraint of constraints) {
        await transaction.query(`alter table ${aside}.${table} ${constraint}`);
      }
      for (const index of writeIndexes) await transaction.query(madeIn(schema, index));
    }
  });
}

/**
 * Creates the indexes and statistics of full tables. Concurrently, because an index built in a
 * transaction with an id would delay every reader of the log, and callers waiting for their own
 * writes.
 */
export async function addIndexes(
  pool: Pool,
  schema: string,
  definitions: readonly TableDefinition[],
): Promise<void> {
  for (const { name, indexes, statistics } of definitions) {
    for (const index of indexes) {
      const statement = madeIn(schema, index);
      await pool.query(statement.replace(/^CREATE (UNIQUE )?INDEX /, "$&CONCURRENTLY "));
    }
    for (const object of statistics) await pool.query(madeIn(schema, object));
    await pool.query(`analyze ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`);
  }
}

/**
 * Drops the schema with its tables. The server may still be building an index for a killed process;
 * index and drop then wait for each other. PostgreSQL resolves this deadlock by ending one of the
 * two, after which a retry succeeds.
 */
export async function dropAsideTables(pool: Pool, schema: string): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      await pool.query(`drop schema if exists ${escapeIdentifier(schema)} cascade`);
      return;
    } catch (error) {
      if (!isTransient(error) || failures === MAX_FAILURES) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/** The definition of a live table, in PostgreSQL's own words. */
export type TableDefinition = {
  readonly name: string;
  /** Name, type, nullability and default of every column. */
  readonly columns: readonly string[];
  /** Keys and checks, on which writes rely, each as `add constraint …`. */
  readonly constraints: readonly string[];
  /** Indexes without a constraint by which events that are applied find rows, each as `create [unique] index …`. */
  readonly writeIndexes: readonly Made[];
  /** Those on which readers alone rely. */
  readonly indexes: readonly Made[];
  readonly statistics: readonly Made[];
};

/** A named object of the schema and the statement that creates it there. */
const Made = z.object({ name: z.string(), text: z.string() });
export type Made = z.infer<typeof Made>;

const Text = z.object({ text: z.string() });

/** The definitions of a projection's live tables, in the given order. */
export async function readDefinitions(database: Statements, tables: readonly ProjectedTable[]) {
  const definitions: TableDefinition[] = [];
  for (const table of tables) definitions.push(await readDefinition(database, table));
  return definitions;
}

async function readDefinition(database: Statements, { name, foundBy = [] }: ProjectedTable) {
  const table = sql.fragment`${`${LIVE_SCHEMA}.${escapeIdentifier(name)}`}::text::regclass`;
  const columns = await database.any(sql.type(Text)`
    select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
      pg_get_expr(adbin, adrelid)) as text
    from pg_attribute a left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
    where attrelid = ${table} and attnum > 0 and not attisdropped order by attnum`);
  const constraints = await database.any(sql.type(Text)`
    select format('add constraint %I %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${table} and contype in ('p', 'u', 'c', 'x')
    order by conname`);
  const indexes = await database.any(sql.type(Made)`
    select c.relname as name, pg_get_indexdef(c.oid) as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${table}
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by c.relname`);
  const statistics = await database.any(sql.type(Made)`
    select stxname as name, pg_get_statisticsobjdef(oid) as text
    from pg_statistic_ext where stxrelid = ${table} order by stxname`);
  return {
    name,
    columns: columns.map(({ text }) => text),
    constraints: constraints.map(({ text }) => text),
    writeIndexes: indexes.filter((index) => foundBy.includes(index.name)),
    indexes: indexes.filter((index) => !foundBy.includes(index.name)),
    statistics,
  };
}

/** The statement that creates the object in another schema. */
function madeIn(schema: string, { text }: Made): string {
  return text.replaceAll(`${LIVE_SCHEMA}.`, `${escapeIdentifier(schema)}.`);
}

export type FillDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt">;
  /** A pool other than that of the live projection. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** Called with the events of every batch before they are applied. */
  readonly observe?: (events: readonly RecordedEvent[]) => void;
};

export type Filling = ReturnType<typeof fillAside>;

/** Tables being filled from the start of the log, by the same code as the live ones. */
export function fillAside(
  { log, pool, signal, observe }: FillDeps,
  projection: Projection,
  schema: string,
) {
  let reached: Checkpoint = BEGINNING;

  async function apply(part: Part): Promise<void> {
    await applyBatch(pool, projection, reached.position, part, { schema });
    reached = { position: part.position, eventId: part.eventId };
  }

  /**
   * The part of the batch up to the target. The event at the target may be of another type and not
   * in the batch.
   */
  async function cutAt(batch: Batch, target: Position): Promise<Part> {
    if (batch.position <= target) return batch;
    const events = batch.events.filter(({ position }) => position <= target);
    return { events, position: target, eventId: await log.eventAt(target) };
  }

  /** Applies the log up to `target` and no further. */
  async function upTo(target: Position): Promise<void> {
    if (reached.position >= target) return;
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    for await (const batch of readAhead(batchesOf(log, projection, reached, either))) {
      try {
        const wanted = await cutAt(batch, target);
        observe?.(wanted.events);
        for (const part of partsOf(wanted)) await apply(part);
      } catch (error) {
        ending.abort();
        throw error;
      }
      if (reached.position < target) continue;
      // Before leaving the loop, which would otherwise wait for events being read ahead.
      ending.abort();
      break;
    }
    signal.throwIfAborted();
    if (reached.position < target) throw new Error("the event log was closed");
  }

  return { reached: () => reached, upTo };
}
