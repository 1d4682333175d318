import { escapeIdentifier } from "pg";

/** SQL of the key of a row `t` as one text; what keys are made of holds no slash. */
export function keyText(columns: readonly string[]): string {
  return `concat_ws('/', ${columns.map((column) => `t.${escapeIdentifier(column)}`).join(", ")})`;
}
