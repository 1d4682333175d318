import { EVENTS_LIMITS } from "#contracts/http/catalogue-events.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { decodeCursor } from "#projections/queries/event-cursor.ts";
import type { EventReads } from "#projections/queries/event-reads.ts";
import { walkEvents } from "#projections/queries/event-walk.ts";
import { versionTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";
import { JsonList } from "../../json-text.ts";
import { readInTurn } from "./read-in-turn.ts";

export function filterEventsHandler({
  reads,
}: {
  reads: EventReads;
}): Handler<Operations["filterEvents"]> {
  return async ({ params, query, actor, turn }) => {
    const { orderBy: order, limit, cursor, asOf, ...filters } = query;
    const defaultLimit = EVENTS_LIMITS.filteredLimit.default;
    const asked = limit ?? (cursor === undefined ? defaultLimit : decodeCursor(cursor).limit);
    const { events, version, isPublic, nextCursor } = await readInTurn(turn, asked, () =>
      walkEvents(reads, {
        walk: "filtered",
        catalogueId: params.id,
        isGuest: actor === null,
        cursor,
        asOf,
        order,
        filters,
        limit,
        defaultLimit,
      }),
    );
    return {
      body: {
        events: new JsonList(events.json),
        count: events.count,
        truncated: nextCursor !== null,
        ...(nextCursor !== null && { nextCursor }),
      },
      headers: { etag: versionTag(version) },
      isPublic,
    };
  };
}
