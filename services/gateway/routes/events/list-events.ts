import { EVENTS_LIMITS, type EventsQuery } from "#contracts/http/catalogue-events.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { EventReads } from "#projections/queries/event-reads.ts";
import { sliceOfEvents } from "#projections/queries/event-slices.ts";
import { walkEvents } from "#projections/queries/event-walk.ts";
import { versionTag } from "../../etag.ts";
import type { Answer, Handler } from "../../handler.ts";
import { JsonList } from "../../json-text.ts";
import { paginationFamily } from "./pagination-family.ts";

type ListEvents = Operations["listEvents"];
type Read = (reads: EventReads, id: string, query: EventsQuery) => Promise<Answer<ListEvents>>;

export function listEventsHandler({ reads }: { reads: EventReads }): Handler<ListEvents> {
  const families: Record<ReturnType<typeof paginationFamily>, Read> = {
    page: byPage,
    offset: byOffset,
    cursor: byCursor,
  };
  return ({ params, query }) => families[paginationFamily(query)](reads, params.id, query);
}

const byPage: Read = async (reads, catalogueId, { page = 1, pageSize, asOf }) => {
  const limit = pageSize ?? EVENTS_LIMITS.pageSize.default;
  const offset = (page - 1) * limit;
  const slice = await sliceOfEvents(reads, { catalogueId, asOf, offset, limit });
  const { events, total, version } = slice;
  return {
    body: { events: new JsonList(events.json), total, page, pageSize: limit },
    headers: { etag: versionTag(version) },
  };
};

const byOffset: Read = async (reads, catalogueId, { offset, limit: given, asOf }) => {
  const limit = given ?? EVENTS_LIMITS.limit.default;
  const from = offset ?? 0;
  const slice = await sliceOfEvents(reads, { catalogueId, asOf, offset: from, limit });
  const { events, total, version, nextCursor } = slice;
  return {
    // Who gave a limit alone can go on by cursor (contract §4).
    body: {
      events: new JsonList(events.json),
      total,
      limit,
      offset: from,
      ...(offset === undefined && { pagination: { nextCursor } }),
    },
    headers: { etag: versionTag(version) },
  };
};

const ORDERS = { desc: "time", asc: "time-asc" } as const;

const byCursor: Read = async (reads, catalogueId, { cursor, direction, limit: given, asOf }) => {
  const { events, version, nextCursor, prevCursor, limit } = await walkEvents(reads, {
    walk: "events",
    catalogueId,
    cursor,
    asOf,
    order: direction && ORDERS[direction],
    filters: {},
    limit: given,
    defaultLimit: EVENTS_LIMITS.limit.default,
  });
  const pagination = { nextCursor, prevCursor, hasMore: nextCursor !== null, limit };
  return {
    body: { events: new JsonList(events.json), pagination },
    headers: { etag: versionTag(version) },
  };
};
