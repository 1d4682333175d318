import { type FragmentSqlToken, sql } from "slonik";

/** A time as ISO 8601 UTC with milliseconds; sessions are in UTC. @param column may name its table, `u.created_at` */
export function isoTime(column: string): FragmentSqlToken {
  return sql.fragment`to_char(${sql.identifier(column.split("."))}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Times in that form, each under its column's own name, for a statement's `select`. */
export function isoTimes(...columns: string[]): FragmentSqlToken {
  const named = columns.map((column) => {
    const name = column.split(".").slice(-1);
    return sql.fragment`${isoTime(column)} as ${sql.identifier(name)}`;
  });
  return sql.fragment`${sql.join(named, sql.fragment`, `)}`;
}
