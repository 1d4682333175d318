import { EVENTS_LIMITS, type FilteredQuery } from "#contracts/http/events/seismic-events.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import {
  AS_EVENTS,
  AS_EVENTS_WITH_SOURCES,
  asWholeEvents,
  decodeCursor,
  type PageForm,
} from "#projections/read/pages.ts";
import { type WalkRequest, walkEvents } from "#projections/read/walk.ts";
import { readsFor } from "../../capacity/searches.ts";
import type { Exporter } from "../../files/exporter.ts";
import { following, JsonList } from "../../http/answer-body.ts";
import type { Call } from "../../http/handler.ts";
import { versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

type FilterEvents = Operations["filterEvents"];

export const filterEventsHandler: MakeHandler<"filterEvents", "reads" | "exporter"> =
  ({ reads, exporter }) =>
  async (call) => {
    const request = walkOf(call);
    const page = await walkEvents(readsFor(reads, call), request, formOf(call, exporter));
    const { events, nextCursor } = page;
    return {
      body: {
        events: new JsonList(events.json),
        count: events.count,
        truncated: nextCursor !== null,
        ...following(nextCursor),
      },
      ...headOf(page),
    };
  };

/** Beside the body of a page of events. */
export function headOf({ version, isPublic }: { version: number; isPublic: boolean }) {
  return { headers: { etag: versionTag(version) }, isPublic };
}

function walkOf({ params, query, reader }: Call<FilterEvents>): WalkRequest {
  const { orderBy: order, limit: most, cursor: text, asOf, include: _, ...filters } = query;
  const cursor = text === undefined ? null : decodeCursor(text);
  const limit = most ?? cursor?.limit ?? EVENTS_LIMITS.filteredLimit.default;
  const request = { catalogueId: params.id, reader, asOf };
  return { ...request, walk: "filtered", order, filters, limit, cursor };
}

type Including = Pick<Call<FilterEvents>, "asker"> & {
  readonly query: Pick<FilteredQuery, "include">;
};

/** What `include` asks for. */
export function formOf(
  { query: { include = [] }, asker }: Including,
  { writeEvent }: Pick<Exporter, "writeEvent">,
): PageForm {
  const withSources = include.includes("source_events");
  if (include.includes("bulletin")) {
    return asWholeEvents(withSources, (event) => writeEvent(event, asker));
  }
  return withSources ? AS_EVENTS_WITH_SOURCES : AS_EVENTS;
}
