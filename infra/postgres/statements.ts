import { type ClientBase, escapeLiteral } from "pg";
import {
  type CommonQueryMethods,
  type FragmentSqlToken,
  type QuerySqlToken,
  SchemaValidationError,
} from "slonik";
import { z } from "zod";

type Value = FragmentSqlToken["values"][number];

/** Else a text stands between quotes as it is. */
const NEEDS_ESCAPES = /['\\]/;

const PLACEHOLDER = /\$slonik_(\d+)/g;

/** SQL from slonik's tag, with its values. */
export type SqlToken = Pick<FragmentSqlToken, "sql" | "values">;

/** The text of a statement with parameters `$1`, `$2`…, and their values. */
export function parameterSql({ sql, values }: SqlToken): { text: string; values: Value[] } {
  return { text: sql.replaceAll(PLACEHOLDER, "$$$1"), values: [...values] };
}

/** For COPY, which has no parameters: the driver quotes the literals, which have no type. */
export function literalSql({ sql, values }: SqlToken): string {
  return sql.replaceAll(PLACEHOLDER, (_, place: string) => literal(values[Number(place) - 1]));
}

function literal(value: Value | undefined): string {
  if (value === undefined) throw new RangeError("a placeholder has no value");
  if (value === null) return "null";
  if (Array.isArray(value)) return escapeLiteral(arrayText(value));
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString("hex")}`);
  const text = String(value);
  // The driver goes through a text character by character, and shapes are long ones.
  return NEEDS_ESCAPES.test(text) ? escapeLiteral(text) : `'${text}'`;
}

/** An array in PostgreSQL's text form (manual, "Array Input and Output Syntax"). */
function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) =>
    item === null ? "null" : `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  );
  return `{${texts.join(",")}}`;
}

/** Statements of slonik's tag, as its pools have them, over any connection; rows are validated. */
export type Statements = Pick<CommonQueryMethods, "any" | "maybeOne" | "one">;
export type Lookups = Pick<Statements, "maybeOne">;

type AnyRow = Readonly<Record<string, never>>;

/** Statements whose rows `ask` fetches. */
export function createStatements(
  ask: (query: QuerySqlToken) => Promise<readonly AnyRow[]>,
): Statements {
  const any: Statements["any"] = async (query) => {
    const rows = await ask(query);
    return rows.map((row) => validRow(query.parser, query, row)) as never;
  };
  const maybeOne: Statements["maybeOne"] = async (query) => {
    const rows = await any(query);
    if (rows.length > 1) throw new Error("a lookup has found more than one row");
    return rows[0] ?? null;
  };
  return {
    any,
    maybeOne,
    async one(query) {
      const row = await maybeOne(query);
      if (row === null) throw new Error("a lookup has found no row");
      return row;
    },
  };
}

/** Statements that also change rows. */
export type ClientStatements = Statements & {
  /** Runs a statement. @returns the number of rows found or changed */
  readonly run: (query: QuerySqlToken) => Promise<number>;
};

/** Statements on a pg connection: within a transaction, or next to a COPY. */
export function statementsOn(client: Pick<ClientBase, "query">): ClientStatements {
  const ask = (query: QuerySqlToken) => {
    const { name } = query;
    return client.query({ ...parameterSql(query), ...(name !== undefined && { name }) });
  };
  return {
    ...createStatements(async (query) => (await ask(query)).rows),
    run: async (query) => (await ask(query)).rowCount ?? 0,
  };
}

/**
 * A row validated by its query's schema. Rows of queries built with `sql.unsafe` pass unchecked: for
 * frequent reads whose shape the SQL itself determines.
 * @throws SchemaValidationError
 */
export function validRow(
  parser: QuerySqlToken["parser"],
  query: ConstructorParameters<typeof SchemaValidationError>[0],
  row: ConstructorParameters<typeof SchemaValidationError>[1],
): unknown {
  if (parser instanceof z.ZodUnknown) return row;
  const result = parser["~standard"].validate(row);
  if (result instanceof Promise) throw new TypeError("row schemas must be synchronous");
  if (result.issues) throw new SchemaValidationError(query, row, result.issues);
  return result.value;
}
