import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueById } from "#projections/queries/catalogue-queries.ts";
import { catalogueTag, guestTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { guestView } from "./guest-view.ts";

export function getCatalogueHandler({
  lookups,
}: {
  lookups: Lookups;
}): Handler<Operations["getCatalogue"]> {
  return async ({ params, actor }) => {
    const catalogue = await catalogueById(lookups, params.id);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    const isGuest = actor === null;
    return {
      body: isGuest ? guestView(catalogue) : catalogue,
      headers: { etag: isGuest ? guestTag(catalogue) : catalogueTag(catalogue) },
      isPublic: catalogue.is_public,
    };
  };
}
