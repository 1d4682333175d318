import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";

const Line = z.object({ "QUERY PLAN": z.string() });

/** PostgreSQL's plan of a query, as text. */
export async function planOf(pool: CommonQueryMethods, query: FragmentSqlToken): Promise<string> {
  const lines = await pool.any(sql.type(Line)`explain ${query}`);
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}
