import { type FragmentSqlToken, sql } from "slonik";

/** SQL of the key of a row `t` as one text; what keys are made of holds no slash. */
export function keyText(columns: readonly string[]): FragmentSqlToken {
  const names = columns.map((column) => sql.identifier(["t", column]));
  return sql.fragment`concat_ws('/', ${sql.join(names, sql.fragment`, `)})`;
}
