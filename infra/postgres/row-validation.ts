import { type Interceptor, type QuerySqlToken, SchemaValidationError } from "slonik";
import { z } from "zod";

type Parser = QuerySqlToken["parser"];

/** Parses every row with the zod schema of its query (`sql.type(schema)`). */
export function createRowValidation(): Interceptor {
  return {
    name: "row-validation",
    transformRow({ resultParser }, query, row) {
      if (resultParser === undefined) return row;
      return validRow(resultParser, query, row) as typeof row;
    },
  };
}

/**
 * A row as the schema of its query has it. Those of queries built with `sql.unsafe` are let through as
 * they are: for hot reads whose shape the SQL itself fixes.
 * @throws SchemaValidationError
 */
export function validRow(
  parser: Parser,
  query: ConstructorParameters<typeof SchemaValidationError>[0],
  row: ConstructorParameters<typeof SchemaValidationError>[1],
): unknown {
  if (parser instanceof z.ZodUnknown) return row;
  const result = parser["~standard"].validate(row);
  if (result instanceof Promise) throw new TypeError("row schemas must be synchronous");
  if (result.issues) throw new SchemaValidationError(query, row, result.issues);
  return result.value;
}
