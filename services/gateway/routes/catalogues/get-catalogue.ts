import type { DatabasePool } from "slonik";
import { ApiError } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { catalogueById } from "#projections/queries/catalogue-queries.ts";
import { catalogueTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";

export function getCatalogueHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["getCatalogue"]> {
  return async ({ params }) => {
    const catalogue = await catalogueById(pool, params.id);
    if (catalogue === null) throw new ApiError("NOT_FOUND", "Catalogue not found");
    return { body: catalogue, headers: { etag: catalogueTag(catalogue) } };
  };
}
