import { setTimeout } from "node:timers/promises";
import { escapeIdentifier, type Pool } from "pg";
import { isTransient } from "#infra/postgres/failures.ts";
import { inTransaction } from "#infra/postgres/transaction.ts";
import { LIVE_SCHEMA } from "../read-model-schema.ts";
import { madeIn, type TableDefinition } from "./table-definitions.ts";

/** What applying a batch writes beside the tables of the projection. */
const BOOKKEEPING = ["checkpoints", "parked_events"] as const;

const LIKE = "including defaults including generated including identity including storage";

const RETRY_MS = 500;
const MAX_FAILURES = 5;

/**
 * Makes empty tables like the live ones in a schema of their own, in place of what an earlier run has
 * left there. Keys and checks are there from the start, since writes rely on them; the indexes that
 * only readers need are made by `addIndexes`.
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
    for (const { name, constraints } of definitions) {
      const table = escapeIdentifier(name);
      await transaction.query(
        `create table ${aside}.${table} (like ${LIVE_SCHEMA}.${table} ${LIKE})`,
      );
      for (const constraint of constraints) {
        await transaction.query(`alter table ${aside}.${table} ${constraint}`);
      }
    }
  });
}

/**
 * Makes the indexes and statistics of full tables. Concurrently: building an index in a transaction
 * that has an id would hold back every reader of the log, and those who wait for their own writes.
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
 * A process that was killed may have left an index in the making, which goes on without it and waits
 * for whoever waits for it: PostgreSQL ends one of the two, and then there is nothing in the way.
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
