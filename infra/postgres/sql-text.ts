import { escapeLiteral } from "pg";
import type { FragmentSqlToken } from "slonik";

type Value = FragmentSqlToken["values"][number];

const PLACEHOLDER = /\$slonik_(\d+)/g;

/** SQL from slonik's tag, with its values. */
export type SqlToken = Pick<FragmentSqlToken, "sql" | "values">;

/** The text of a statement with parameters `$1`, `$2`…, and their values. */
export function parameterSql({ sql, values }: SqlToken): { text: string; values: Value[] } {
  return { text: sql.replaceAll(PLACEHOLDER, "$$$1"), values: [...values] };
}

/**
 * The text of a statement with its values as literals, for COPY, the only statement here without
 * parameters. The driver quotes the literals; like parameters they have no type.
 */
export function literalSql({ sql, values }: SqlToken): string {
  return sql.replaceAll(PLACEHOLDER, (_, place: string) => literal(values[Number(place) - 1]));
}

function literal(value: Value | undefined): string {
  if (value === undefined) throw new RangeError("a placeholder has no value");
  if (value === null) return "null";
  if (Array.isArray(value)) return escapeLiteral(arrayText(value));
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString("hex")}`);
  return escapeLiteral(String(value));
}

/** An array in PostgreSQL's text form (manual, "Array Input and Output Syntax"). */
function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) =>
    item === null ? "null" : `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  );
  return `{${texts.join(",")}}`;
}
