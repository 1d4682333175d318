import { setTimeout } from "node:timers/promises";
import { escapeIdentifier, type Pool } from "pg";
import { isTransient } from "#infra/postgres/failures.ts";
import { inTransaction } from "#infra/postgres/in-transaction.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";
import { madeIn, type TableDefinition } from "./table-definitions.ts";

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
