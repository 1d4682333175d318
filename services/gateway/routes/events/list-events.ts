import { EVENTS_LIMITS, type EventsQuery } from "#contracts/http/events/seismic-events.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { decodeCursor, type PageForm } from "#projections/read/pages.ts";
import type { VersionRequest } from "#projections/read/versions.ts";
import { type EventReads, sliceOfEvents, walkEvents } from "#projections/read/walk.ts";
import { readsFor } from "../../capacity/searches.ts";
import { JsonList } from "../../http/answer-body.ts";
import type { Answer } from "../../http/handler.ts";
import type { MakeHandler } from "../make-handler.ts";
import { formOf, headOf } from "./filter-events.ts";
import { paginationFamily } from "./pagination-family.ts";

type Request = EventsQuery & Pick<VersionRequest, "catalogueId" | "reader">;
type Read = (
  reads: EventReads,
  request: Request,
  form: PageForm,
) => Promise<Answer<Operations["listEvents"]>>;

export const listEventsHandler: MakeHandler<"listEvents", "reads" | "exporter"> =
  ({ reads, exporter }) =>
  ({ params: { id: catalogueId }, query, reader, turn, asker }) => {
    const request = { ...query, catalogueId, reader };
    const read = { page: byPage, offset: byOffset, cursor: byCursor }[paginationFamily(query)];
    const form = formOf({ query, asker }, exporter);
    return read(readsFor(reads, { turn, asker }), request, form);
  };

const byPage: Read = async (reads, { page = 1, pageSize, ...request }, form) => {
  const limit = pageSize ?? EVENTS_LIMITS.pageSize.default;
  const offset = (page - 1) * limit;
  const slice = await sliceOfEvents(reads, { ...request, offset, limit }, form);
  const { events, total } = slice;
  return {
    body: { events: new JsonList(events.json), total, page, pageSize: limit },
    ...headOf(slice),
  };
};

const byOffset: Read = async (reads, { offset, limit: most, ...request }, form) => {
  const limit = most ?? EVENTS_LIMITS.limit.default;
  const from = offset ?? 0;
  const slice = await sliceOfEvents(reads, { ...request, offset: from, limit }, form);
  const { events, total, nextCursor } = slice;
  return {
    // A request with only a limit can continue by cursor.
    body: {
      events: new JsonList(events.json),
      total,
      limit,
      offset: from,
      ...(offset === undefined && { pagination: { nextCursor } }),
    },
    ...headOf(slice),
  };
};

const ORDERS = { desc: "time", asc: "time-asc" } as const;

const byCursor: Read = async (
  reads,
  { direction, limit: most, cursor: text, ...request },
  form,
) => {
  const cursor = text === undefined ? null : decodeCursor(text);
  const limit = most ?? cursor?.limit ?? EVENTS_LIMITS.limit.default;
  const order = direction && ORDERS[direction];
  const walk = { ...request, walk: "events", order, filters: {}, limit, cursor } as const;
  const page = await walkEvents(reads, walk, form);
  const { events, nextCursor, prevCursor } = page;
  const pagination = { nextCursor, prevCursor, hasMore: nextCursor !== null, limit };
  return {
    body: { events: new JsonList(events.json), pagination },
    ...headOf(page),
  };
};
