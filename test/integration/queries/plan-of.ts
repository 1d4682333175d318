import type { Pool } from "pg";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { PREPARED_SETTINGS } from "#infra/postgres/prepared-statements.ts";
import { parameterSql, type SqlToken } from "#infra/postgres/statements.ts";

const Line = z.object({ "QUERY PLAN": z.string() });

/** PostgreSQL's plan of a query, as text. */
export async function planOf(pool: CommonQueryMethods, query: FragmentSqlToken): Promise<string> {
  const lines = await pool.any(sql.type(Line)`explain ${query}`);
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}

/** The plan that prepared statements have, whatever their values. */
export async function planAsPrepared(writer: Pool, query: SqlToken): Promise<string> {
  const settings = Object.entries(PREPARED_SETTINGS).map(
    ([name, value]) => `set ${name} to ${value}`,
  );
  const client = await writer.connect();
  await client.query(settings.join("; "));
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (generic_plan) ${parameterSql(query).text}`,
  );
  // Nobody else shall have its settings.
  client.release(true);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
