import type { DatabasePool } from "slonik";
import { EVENTS_LIMITS } from "#contracts/http/catalogue-events.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { walkEvents } from "#projections/queries/event-walk.ts";
import { eventBody } from "../../event-body.ts";
import { versionTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";

export function filterEventsHandler({
  pool,
}: {
  pool: DatabasePool;
}): Handler<Operations["filterEvents"]> {
  return async ({ params, query }) => {
    const { orderBy: order, limit = EVENTS_LIMITS.filteredLimit.default, cursor, asOf } = query;
    const { orderBy: _o, limit: _l, cursor: _c, asOf: _a, ...filters } = query;
    const request = { walk: "filtered", catalogueId: params.id, cursor, asOf, order, filters, limit } as const;
    const { events, version, nextCursor } = await walkEvents(pool, request);
    return {
      body: {
        events: events.map(eventBody),
        count: events.length,
        truncated: nextCursor !== null,
        ...(nextCursor !== null && { nextCursor }),
      },
      headers: { etag: versionTag(version) },
    };
  };
}
