import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Owner, Projection } from "./projection.ts";
import { LIVE_SCHEMA } from "./read-model-schema.ts";

/** Rows that are looked up at a time, before some thousands of them are deleted in each transaction. */
const LOOKED_UP = 100_000;
const PIECE = 5_000;

/**
 * Removes the rows without an owner from a projection's live tables, some thousands in each transaction: a deletion of
 * millions in the projection's own would hold up all later events.
 */
export async function removeLeftRows(
  pool: Pool,
  { tables }: Pick<Projection, "tables">,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, owner } of tables) {
    if (owner === undefined) continue;
    for (const key of await keysLeft(pool, name, owner)) {
      while ((await removeSome(pool, name, owner, key, signal)) === LOOKED_UP);
    }
  }
}

/** Whether a row, as `t`, has its owner. */
export function hasOwner(schema: string, { table, key, by }: Owner): FragmentSqlToken {
  return sql.fragment`exists (
    select from ${sql.identifier([schema, table])} o
    where ${sql.identifier(["o", key])} = ${sql.identifier(["t", by])})`;
}

/** The keys in a table that no owner has; each key of the table is found by one look into an index. */
async function keysLeft(pool: Pool, name: string, owner: Owner): Promise<readonly number[]> {
  const table = sql.identifier([LIVE_SCHEMA, name]);
  const by = sql.identifier([owner.by]);
  const rows = await statementsOn(pool).any(sql.type(z.object({ key: z.int() }))`
    with recursive keys (${by}) as (
      (select ${by} from ${table} order by ${by} limit 1)
      union all
      select (select ${by} from ${table} where ${by} > keys.${by} order by ${by} limit 1)
      from keys where keys.${by} is not null
    )
    select ${by} as key from keys t where ${by} is not null and not ${hasOwner(LIVE_SCHEMA, owner)}`);
  return rows.map(({ key }) => key);
}

/** @returns how many rows were found */
async function removeSome(
  pool: Pool,
  name: string,
  owner: Owner,
  key: number,
  signal: AbortSignal,
): Promise<number> {
  const table = sql.identifier([LIVE_SCHEMA, name]);
  // Checked by each statement: the key may have become a new owner's. A snapshot without that owner has none of its rows.
  const isLeft = sql.fragment`
    ${sql.identifier(["t", owner.by])} = ${key} and not ${hasOwner(LIVE_SCHEMA, owner)}`;
  const places: string[] = [];
  await eachCopiedRow(
    await pool.connect(),
    sql.fragment`select ctid from ${table} t where ${isLeft} limit ${LOOKED_UP}`,
    (line) => places.push(line.toString("latin1", 0, line.length - 1)),
  );
  for (let from = 0; from < places.length; from += PIECE) {
    signal.throwIfAborted();
    const piece = sql.array(places.slice(from, from + PIECE), "tid");
    // Rows that an owner with the key is removing itself are left to it.
    await statementsOn(pool).run(sql.unsafe`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} t where ctid = any(${piece}) and ${isLeft} for update skip locked))`);
  }
  return places.length;
}
