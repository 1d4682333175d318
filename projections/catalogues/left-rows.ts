import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { ProjectedTable, Transaction } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";

const OWNER = { table: "catalogues", key: "key", by: "catalogue_key" } as const;

/** Tables with rows by a catalogue's key, of which there may be millions: they outlive it for a while. */
export const KEYED_TABLES: readonly ProjectedTable[] = [
  {
    name: "seismic_events",
    key: ["catalogue_key", "event_id", "revision_from"],
    owner: OWNER,
    foundBy: ["seismic_events_revision", "seismic_events_superseded", "seismic_events_time"],
  },
  { name: "event_blocks", key: ["catalogue_key", "since", "revision_from"], owner: OWNER },
  {
    name: "merge_members",
    key: ["member", "catalogue_key", "event_id"],
    owner: OWNER,
    foundBy: ["merge_members_revision"],
  },
  {
    name: "bulletins",
    key: ["catalogue_key", "event_id", "revision", "part", "piece"],
    owner: OWNER,
  },
  {
    name: "bulletin_magnitudes",
    key: ["catalogue_key", "event_id", "revision", "place"],
    owner: OWNER,
  },
];

/** Rows that are looked up at a time, before some thousands of them are deleted in each transaction. */
const LOOKED_UP = 100_000;

/**
 * Removes what an earlier catalogue has left of the key of one that was just created: all of it at once, where the last
 * one made was deleted a moment ago.
 */
export async function clearKey(transaction: Transaction, catalogueId: string): Promise<void> {
  const { key } = await transaction.one(sql.type(Key)`
    select key from catalogues where id = ${catalogueId}`);
  for (const { name } of KEYED_TABLES) {
    // By its value, which the planner knows to be rare.
    await transaction.run(sql.unsafe`
      delete from ${sql.identifier([name])} where catalogue_key = ${key}`);
  }
}

/**
 * Removes the rows that deleted catalogues have left, some thousands in each transaction: a deletion of millions in
 * the projection's own would hold up all later events.
 */
export async function removeLeftRows(pool: Pool, signal: AbortSignal): Promise<void> {
  for (const { name } of KEYED_TABLES) {
    for (const key of await keysLeft(pool, name)) {
      while ((await removeSome(pool, name, key, signal)) === LOOKED_UP);
    }
  }
}

const Key = z.object({ key: z.int() });

const live = (table: string) => sql.identifier([LIVE_SCHEMA, table]);

/** The keys in a table that no catalogue has; each key of the table is found by one look into an index. */
async function keysLeft(pool: Pool, table: string): Promise<readonly number[]> {
  const rows = await statementsOn(pool).any(sql.type(Key)`
    with recursive keys (key) as (
      (select catalogue_key from ${live(table)} order by catalogue_key limit 1)
      union all
      select (
        select catalogue_key from ${live(table)} where catalogue_key > keys.key
        order by catalogue_key limit 1
      ) from keys where keys.key is not null
    )
    select key from keys where key is not null and ${isLeft(sql.fragment`keys.key`)}`);
  return rows.map(({ key }) => key);
}

/**
 * Checked by each statement: the key may have become a new catalogue's. A snapshot without that catalogue has none of
 * its rows either.
 */
function isLeft(key: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`not exists (select from ${live("catalogues")} c where c.key = ${key})`;
}

/** @returns how many rows were found */
async function removeSome(
  pool: Pool,
  table: string,
  key: number,
  signal: AbortSignal,
): Promise<number> {
  const ofKey = sql.fragment`catalogue_key = ${key} and ${isLeft(sql.fragment`${key}::integer`)}`;
  const places = await placesOf(
    pool,
    sql.fragment`select ctid from ${live(table)} where ${ofKey} limit ${LOOKED_UP}`,
  );
  for (let from = 0; from < places.length; from += PIECE) {
    signal.throwIfAborted();
    const piece = sql.array(places.slice(from, from + PIECE), "tid");
    // Rows that a catalogue with the key is removing itself are left to it.
    await statementsOn(pool).run(sql.unsafe`
      delete from ${live(table)} where ctid = any(array(
        select ctid from ${live(table)} where ctid = any(${piece}) and ${ofKey}
        for update skip locked))`);
  }
  return places.length;
}

const PIECE = 5_000;

async function placesOf(pool: Pool, query: FragmentSqlToken): Promise<readonly string[]> {
  const places: string[] = [];
  await eachCopiedRow(await pool.connect(), query, (line) => {
    places.push(line.toString("latin1", 0, line.length - 1));
  });
  return places;
}
