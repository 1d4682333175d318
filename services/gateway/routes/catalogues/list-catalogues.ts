import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import { listCatalogues } from "#projections/queries/catalogue-queries.ts";
import type { Handler } from "../../handler.ts";

export function listCataloguesHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["listCatalogues"]> {
  return async ({ query }) => {
    const { catalogues, total } = await listCatalogues(pool, query);
    const { page, pageSize } = query;
    return { body: { catalogues: [...catalogues], total, page, pageSize } };
  };
}
