import { ApiError } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { catalogueById } from "#projections/queries/catalogue-queries.ts";
import { catalogueTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";

export function getCatalogueHandler({
  lookups,
}: {
  lookups: Lookups;
}): Handler<Operations["getCatalogue"]> {
  return async ({ params }) => {
    const catalogue = await catalogueById(lookups, params.id);
    if (catalogue === null) throw new ApiError("NOT_FOUND", "Catalogue not found");
    return { body: catalogue, headers: { etag: catalogueTag(catalogue) } };
  };
}
