import { isDeepStrictEqual } from "node:util";
import { escapeIdentifier, type PoolClient } from "pg";
import { z } from "zod";
import type { ProjectedTable } from "../projection.ts";
import { LIVE_SCHEMA } from "../read-model-schema.ts";
import { keyText } from "./row-key.ts";

const Rows = z.array(z.object({ row: z.record(z.string(), z.unknown()) }));

/** The names of the columns in which the row with a key differs; their values stay unsaid. */
export async function differentColumns(
  live: PoolClient,
  rebuilt: PoolClient,
  schema: string,
  table: ProjectedTable,
  key: string,
): Promise<string[]> {
  const mine = await rowOf(live, LIVE_SCHEMA, table, key);
  const other = await rowOf(rebuilt, schema, table, key);
  return Object.keys({ ...mine, ...other }).filter(
    (column) => !isDeepStrictEqual(mine[column], other[column]),
  );
}

async function rowOf(
  client: PoolClient,
  schema: string,
  { name, key: columns }: ProjectedTable,
  key: string,
): Promise<Record<string, unknown>> {
  const { rows } = await client.query(
    `select to_json(t) as row from ${escapeIdentifier(schema)}.${escapeIdentifier(name)} t
     where ${keyText(columns)} = $1`,
    [key],
  );
  return Rows.parse(rows)[0]?.row ?? {};
}
