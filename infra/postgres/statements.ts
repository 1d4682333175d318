import type { ClientBase } from "pg";
import { type CommonQueryMethods, type QuerySqlToken, SchemaValidationError } from "slonik";
import { z } from "zod";
import { parameterSql } from "./sql-text.ts";

/**
 * Runs statements of slonik's tag over any connection; rows are validated by the query's schema.
 * slonik's pools have the same methods.
 */
export type Statements = Pick<CommonQueryMethods, "any" | "maybeOne" | "one">;
export type Lookups = Pick<Statements, "maybeOne">;

type Row = Readonly<Record<string, never>>;

/** Statements whose rows `ask` fetches. */
export function createStatements(
  ask: (query: QuerySqlToken) => Promise<readonly Row[]>,
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
