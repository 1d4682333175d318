import { Client } from "pg";
import type { FragmentSqlToken } from "slonik";
import { parameterSql } from "#infra/postgres/statements.ts";
import { PG_TYPE_PARSERS } from "#infra/postgres/type-parsers.ts";

/** A query as bare `pg` runs it: its text, and the values of its parameters. */
export type BareQuery = { readonly text: string; readonly values: unknown[] };

/** The very statement that the service sends, without slonik. */
export function bareQuery(query: FragmentSqlToken): BareQuery {
  return parameterSql(query);
}

/** A connection with the service's types. */
export async function bareClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, types: PG_TYPE_PARSERS });
  await client.connect();
  return client;
}
