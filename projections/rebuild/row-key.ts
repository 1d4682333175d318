import { type FragmentSqlToken, sql } from "slonik";

/** SQL of the key of a row `t` as one text, with slashes as separators, which keys do not contain. */
export function keyText(columns: readonly string[]): FragmentSqlToken {
  const names = columns.map((column) => sql.identifier(["t", column]));
  return sql.fragment`concat_ws('/', ${sql.join(names, sql.fragment`, `)})`;
}
