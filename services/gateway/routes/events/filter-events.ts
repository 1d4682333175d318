import type { Operations } from "#contracts/http/operations.ts";
import { EVENTS_LIMITS } from "#contracts/http/seismic-events.ts";
import { decodeCursor } from "#projections/queries/events/event-cursor.ts";
import type { EventReads } from "#projections/queries/events/event-reads.ts";
import { walkEvents } from "#projections/queries/events/event-walk.ts";
import { JsonList } from "../../http/answer-body.ts";
import { versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { readInTurn } from "./read-in-turn.ts";

export function filterEventsHandler({
  reads,
}: {
  reads: EventReads;
}): Handler<Operations["filterEvents"]> {
  return async ({ params, query, actor, turn }) => {
    const { orderBy: order, limit: given, cursor: text, asOf, ...filters } = query;
    const cursor = text === undefined ? null : decodeCursor(text);
    const limit = given ?? cursor?.limit ?? EVENTS_LIMITS.filteredLimit.default;
    const request = { catalogueId: params.id, isGuest: actor === null, asOf };
    const { events, version, isPublic, nextCursor } = await readInTurn(turn, limit, () =>
      walkEvents(reads, { ...request, walk: "filtered", order, filters, limit, cursor }),
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
