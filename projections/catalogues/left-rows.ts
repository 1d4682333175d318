import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
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
  { name: "merge_members", key: ["member", "catalogue_key", "event_id"], owner: OWNER },
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

/** Rows that are looked up at a time: the snapshot that finds them keeps others' old rows from being cleared. */
const LOOKED_UP = 1_000_000;

/** Removes what an earlier catalogue has left of the key of one that was just created. */
export async function clearKey(transaction: Transaction, catalogueId: string): Promise<void> {
  for (const { name } of KEYED_TABLES) {
    await transaction.run(sql.unsafe`
      delete from ${sql.identifier([name])} t using catalogues c
      where c.id = ${catalogueId} and t.catalogue_key = c.key`);
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

const live = (table: string) => sql.identifier([LIVE_SCHEMA, table]);

/** The keys of a table that no catalogue has, each found by one look into an index. */
async function keysLeft(pool: Pool, table: string): Promise<readonly number[]> {
  const rows = await statementsOn(pool).any(sql.type(z.object({ key: z.int() }))`
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

/** The key may become another catalogue's at any time, whose rows a statement does not see that sees none of its own. */
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
  const client = await pool.connect();
  let found = 0;
  let isComplete = false;
  try {
    const places = copyRows(
      client,
      sql.fragment`
        select ctid from ${live(table)} where catalogue_key = ${key} limit ${LOOKED_UP}`,
    );
    for await (const rows of places) {
      signal.throwIfAborted();
      found += rows.length;
      const piece = sql.array(
        rows.map(([place]) => place ?? ""),
        "tid",
      );
      await statementsOn(pool).run(sql.unsafe`
        delete from ${live(table)}
        where ctid = any(${piece}) and catalogue_key = ${key} and ${isLeft(sql.fragment`${key}::integer`)}`);
    }
    isComplete = true;
    return found;
  } finally {
    // In the middle of a COPY it cannot be used again.
    client.release(!isComplete);
  }
}
