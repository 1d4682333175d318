import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import { listImports } from "#projections/queries/import-queries.ts";
import type { Handler } from "../../http/handler.ts";

export function listImportsHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["listImports"]> {
  return async ({ query: { catalogueId, limit } }) => ({
    body: [...(await listImports(pool, catalogueId, limit))],
  });
}
