import { type FragmentSqlToken, sql } from "slonik";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A time column as ISO 8601 UTC with milliseconds, under its own name; sessions are in UTC. */
export function isoMilliseconds(column: string): FragmentSqlToken {
  const name = sql.identifier([column]);
  return sql.fragment`to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`;
}

/** The id; null if it is not a UUID, which then equals no id instead of failing in the database. */
export function uuidOrNull(id: string): string | null {
  return UUID.test(id) ? id : null;
}
