import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import { listCatalogues } from "#projections/queries/catalogue-queries.ts";
import type { Handler } from "../../http/handler.ts";
import { guestView } from "./guest-view.ts";

export function listCataloguesHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["listCatalogues"]> {
  return async ({ query, actor }) => {
    const isGuest = actor === null;
    const { catalogues, total } = await listCatalogues(pool, query);
    const { page, pageSize } = query;
    return {
      body: {
        catalogues: isGuest ? catalogues.map(guestView) : [...catalogues],
        total,
        page,
        pageSize,
      },
      // Signed-in callers see more of private catalogues.
      isPublic: isGuest,
    };
  };
}
