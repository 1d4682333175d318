import { type Interceptor, type QueryContext, SchemaValidationError } from "slonik";
import { z } from "zod";

/**
 * Parses every row with the zod schema of its query (`sql.type(schema)`). Queries built with
 * `sql.unsafe` are let through as they are: for hot reads whose shape the SQL itself fixes.
 */
export function createRowValidation(): Interceptor {
  return {
    name: "row-validation",
    transformRow(context, query, row) {
      const parser = validatorOf(context);
      if (parser === undefined) return row;
      const result = parser["~standard"].validate(row);
      if (result instanceof Promise) throw new TypeError("row schemas must be synchronous");
      if (result.issues) throw new SchemaValidationError(query, row, result.issues);
      return result.value as typeof row;
    },
  };
}

function validatorOf({ resultParser }: QueryContext): QueryContext["resultParser"] {
  return resultParser instanceof z.ZodUnknown ? undefined : resultParser;
}
