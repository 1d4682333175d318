import { escapeLiteral } from "pg";
import type { FragmentSqlToken } from "slonik";

type Value = FragmentSqlToken["values"][number];

const PLACEHOLDER = /\$slonik_(\d+)/g;

/** What slonik's tag has put together, written as PostgreSQL reads it. */
export type SqlToken = Pick<FragmentSqlToken, "sql" | "values">;

/** The text of a statement with its parameters as `$1`, and their values. */
export function parameterSql({ sql, values }: SqlToken): { text: string; values: Value[] } {
  return { text: sql.replaceAll(PLACEHOLDER, "$$$1"), values: [...values] };
}

/**
 * The text of a statement with its values as literals: for COPY, the one statement of ours that takes
 * no parameters. Literals are quoted by the driver and without a type, as parameters are.
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

/** PostgreSQL's text of an array (manual, "Array Input and Output Syntax"). */
function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) =>
    item === null ? "null" : `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  );
  return `{${texts.join(",")}}`;
}
