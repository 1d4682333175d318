import { z } from "zod";
import { EVENTS_LIMITS } from "#contracts/http/events/seismic-events.ts";
import { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { CursorFilters, toCursorFilters } from "../cursor-filters.ts";
import { fromCursorText, toCursorText } from "../cursor-text.ts";

/** PostgreSQL's text of a time in UTC; it does not accept all forms that parseTime does. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

/** An event's place in an order. `time` is PostgreSQL's text, exact to the microsecond. */
export const EventKey = z.strictObject({
  magnitude: z.number().nullable(),
  time: z.string().refine((text) => TIMESTAMP.test(text) && parseTime(text) !== null),
  id: z.uuid(),
});
export type EventKey = z.infer<typeof EventKey>;

/** Above any version: the maximum of PostgreSQL's `integer`. */
const VERSION_MAX = 2 ** 31 - 1;

/**
 * The state of a walk at a page: selection, order, version, and the start of the page. `side` tells
 * whether the page lies before or after `key` in the order of the walk.
 */
const EventCursor = z.strictObject({
  walk: z.enum(["events", "filtered", "features"]),
  catalogueId: z.uuid(),
  version: z.int().min(1).max(VERSION_MAX),
  order: EventOrder,
  ...CursorFilters,
  key: EventKey,
  side: z.enum(["after", "before"]),
  /** Events per page, unless the request has its own limit. */
  limit: z.int().min(1).max(EVENTS_LIMITS.filteredLimit.max),
});
export type EventCursor = z.infer<typeof EventCursor>;

export function encodeCursor(
  cursor: Omit<EventCursor, "filters"> & { readonly filters: EventFilters },
): string {
  return toCursorText({ ...cursor, ...toCursorFilters(cursor.filters) });
}

/** @throws Refusal INVALID_CURSOR */
export function decodeCursor(text: string): EventCursor {
  return fromCursorText(text, EventCursor);
}
