import { isDeepStrictEqual } from "node:util";
import type { PoolClient } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { ProjectedTable } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";
import { keyText } from "./row-key.ts";

const Row = z.object({ row: z.record(z.string(), z.unknown()) });

/** The names of the columns in which two rows with the same key differ, without their values. */
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
  const found = await statementsOn(client).maybeOne(sql.type(Row)`
    select to_json(t) as row from ${sql.identifier([schema, name])} t
    where ${keyText(columns)} = ${key}`);
  return found?.row ?? {};
}
