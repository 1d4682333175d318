import { z } from "zod";
import { asOf, filteredQuery, filterShape, orderBy } from "../../query/filter-parameters.ts";
import { queryInteger, queryList } from "../../query/values.ts";
import { CatalogueParams } from "../catalogue.ts";
import { ListedEventBody } from "../event-schemas.ts";
import { queryLimit } from "../long-list.ts";
import { operation, sharedAt } from "../operation.ts";

/** Bounds and defaults of the events endpoints (`contracts/docs/events.md`, Reading). */
export const EVENTS_LIMITS = {
  pageSize: { default: 50, max: 1000 },
  limit: { default: 100, max: 1000 },
  filteredLimit: { default: 10_000, max: 10_000 },
} as const;

const cursor = z.string().optional().describe("nextCursor or prevCursor of an earlier answer");
const INCLUDED = ["source_events", "bulletin"] as const;
const include = queryList(
  `what is added to events: ${INCLUDED.join(", ")}; a cursor does not carry it`,
)
  .pipe(z.array(z.enum(INCLUDED)))
  .optional();

export const EventsQuery = z.strictObject({
  page: queryInteger({ min: 1, max: 1_000_000_000 }, "page number").optional(),
  pageSize: queryLimit(EVENTS_LIMITS.pageSize, "events per page").optional(),
  limit: queryLimit(EVENTS_LIMITS.limit, "events in one answer").optional(),
  offset: queryInteger({ min: 0, max: 1_000_000_000 }, "events to skip").optional(),
  cursor,
  direction: z.enum(["asc", "desc"]).optional().describe("by time, then id; default desc"),
  pagination: z.enum(["cursor"]).optional().describe("starts a cursor walk"),
  include,
  asOf,
});
export type EventsQuery = z.output<typeof EventsQuery>;

export const FilteredQuery = filteredQuery({
  ...filterShape,
  orderBy,
  limit: queryLimit(EVENTS_LIMITS.filteredLimit, "events in one answer").optional(),
  cursor,
  include,
  asOf,
});
export type FilteredQuery = z.output<typeof FilteredQuery>;

const events = z.array(ListedEventBody);
const pagination = z.object({
  nextCursor: z.string().nullable(),
  prevCursor: z.string().nullable(),
  hasMore: z.boolean(),
  limit: z.int(),
});

export const PageAnswer = z.strictObject({
  events,
  total: z.int(),
  page: z.int(),
  pageSize: z.int(),
});
export const OffsetAnswer = z.strictObject({
  events,
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  pagination: z.object({ nextCursor: z.string().nullable() }).optional(),
});
export const CursorAnswer = z.strictObject({ events, pagination });

export const listEvents = operation({
  method: "GET",
  path: "/api/catalogues/:id/events",
  summary: "The events of a catalogue by page, by offset or by cursor",
  tag: "Events",
  access: "readers",
  alsoAt: sharedAt("/events"),
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: EventsQuery,
  success: { status: 200, schema: z.union([PageAnswer, OffsetAnswer, CursorAnswer]) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND"],
});

export const filterEvents = operation({
  method: "GET",
  path: "/api/catalogues/:id/events/filtered",
  summary: "The events of a catalogue that satisfy all filters",
  tag: "Events",
  access: "readers",
  alsoAt: sharedAt("/events/filtered"),
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: FilteredQuery,
  success: {
    status: 200,
    schema: z.object({
      events,
      count: z.int(),
      truncated: z.boolean(),
      nextCursor: z.string().optional(),
    }),
  },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND", "TOO_MANY_EVENTS"],
});
