import type { DatabasePool } from "slonik";
import { EVENTS_LIMITS } from "#contracts/http/catalogue-events.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { walkEvents } from "#projections/queries/event-walk.ts";
import { versionTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";

export function filterEventsHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["filterEvents"]> {
  return async ({ params, query }) => {
    const { orderBy: order, limit, cursor, asOf, ...filters } = query;
    const { events, version, nextCursor } = await walkEvents(pool, {
      walk: "filtered",
      catalogueId: params.id,
      cursor,
      asOf,
      order,
      filters,
      limit,
      defaultLimit: EVENTS_LIMITS.filteredLimit.default,
    });
    return {
      body: {
        events,
        count: events.length,
        truncated: nextCursor !== null,
        ...(nextCursor !== null && { nextCursor }),
      },
      headers: { etag: versionTag(version) },
    };
  };
}
