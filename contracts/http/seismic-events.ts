import { z } from "zod";
import { SeismicEventBody, SubmittedEvent } from "../seismic-event/seismic-event.ts";
import { CatalogueParams, Id, ValidationReport } from "./catalogues.ts";
import { operation } from "./operation.ts";
import { ordered, queryInteger, queryList, queryNumber, queryTime } from "./query.ts";

/** Bounds and defaults of the events endpoints (`contracts/README.md`, Reading events). */
export const EVENTS_LIMITS = {
  pageSize: { default: 50, max: 1000 },
  limit: { default: 100, max: 1000 },
  filteredLimit: { default: 10_000, max: 10_000 },
} as const;

/** The version to read (`contracts/README.md`, Versions). */
export const asOf = z
  .string()
  .optional()
  .describe("a version number or an ISO 8601 time; without it the latest committed version");

const cursor = z.string().optional().describe("nextCursor or prevCursor of an earlier answer");

export const EventsQuery = z.strictObject({
  page: queryInteger({ min: 1, max: 1_000_000_000 }, "page number").optional(),
  pageSize: queryInteger(
    { min: 1, max: EVENTS_LIMITS.pageSize.max },
    "events per page, default 50",
  ).optional(),
  limit: queryInteger(
    { min: 1, max: EVENTS_LIMITS.limit.max },
    "events in one answer, default 100",
  ).optional(),
  offset: queryInteger({ min: 0, max: 1_000_000_000 }, "events to skip").optional(),
  cursor,
  direction: z.enum(["asc", "desc"]).optional().describe("by time, then id; default desc"),
  pagination: z.enum(["cursor"]).optional().describe("starts a cursor walk"),
  asOf,
});
export type EventsQuery = z.output<typeof EventsQuery>;

const latitude = (description: string) => queryNumber({ min: -90, max: 90 }, description);
const longitude = (description: string) => queryNumber({ min: -180, max: 180 }, description);
const HALF_CIRCUMFERENCE_KM = 20_020;

export const filterShape = {
  minMagnitude: queryNumber({}, "inclusive").optional(),
  maxMagnitude: queryNumber({}, "inclusive").optional(),
  minDepth: queryNumber({}, "km, inclusive").optional(),
  maxDepth: queryNumber({}, "km, inclusive").optional(),
  startTime: queryTime("ISO 8601, inclusive").optional(),
  endTime: queryTime("ISO 8601, inclusive").optional(),
  minLatitude: latitude("deg, inclusive").optional(),
  maxLatitude: latitude("deg, inclusive").optional(),
  minLongitude: longitude(
    "deg, inclusive; above maxLongitude: a box across the antimeridian",
  ).optional(),
  maxLongitude: longitude("deg, inclusive").optional(),
  eventType: queryList("QuakeML event type").optional(),
  magnitudeType: queryList("for example ML, Mw").optional(),
  evaluationStatus: queryList("evaluation status").optional(),
  evaluationMode: queryList("evaluation mode").optional(),
  maxAzimuthalGap: queryNumber({ min: 0, max: 360 }, "deg").optional(),
  minUsedStationCount: queryInteger({ min: 0 }, "stations").optional(),
  minUsedPhaseCount: queryInteger({ min: 0 }, "phases").optional(),
  maxStandardError: queryNumber({ min: 0 }, "s").optional(),
  maxMagnitudeUncertainty: queryNumber({ min: 0 }, "magnitude units").optional(),
  latitude: latitude("deg, centre of a circle").optional(),
  longitude: longitude("deg, centre of a circle").optional(),
  maxRadiusKm: queryNumber({ min: 0, max: HALF_CIRCUMFERENCE_KM }, "km, inclusive").optional(),
  minRadiusKm: queryNumber({ min: 0, max: HALF_CIRCUMFERENCE_KM }, "km, inclusive").optional(),
};

export const checkOrder = ordered([
  ["minMagnitude", "maxMagnitude"],
  ["minDepth", "maxDepth"],
  ["startTime", "endTime"],
  ["minLatitude", "maxLatitude"],
  ["minRadiusKm", "maxRadiusKm"],
]);

export function checkCircle(values: Record<string, unknown>, context: z.RefinementCtx): void {
  const centre = [values["latitude"], values["longitude"]].filter((v) => v !== undefined);
  const radii = [values["minRadiusKm"], values["maxRadiusKm"]].filter((v) => v !== undefined);
  if (centre.length === 1 || (radii.length > 0 && centre.length === 0)) {
    const path = values["latitude"] === undefined ? "latitude" : "longitude";
    context.addIssue({
      code: "custom",
      path: [path],
      message: "a circle needs latitude and longitude",
    });
  }
  if (centre.length === 2 && radii.length === 0) {
    context.addIssue({
      code: "custom",
      path: ["maxRadiusKm"],
      message: "a circle needs maxRadiusKm or minRadiusKm",
    });
  }
}

/** The filters that `/filtered` and export share. */
export const EventFilters = z
  .strictObject(filterShape)
  .superRefine(checkOrder)
  .superRefine(checkCircle);
export type EventFilters = z.output<typeof EventFilters>;

/** Newest or largest first, except with `-asc`; ties by time, then id, in the same direction. */
export const EventOrder = z.enum(["time", "time-asc", "magnitude", "magnitude-asc"]);
export type EventOrder = z.output<typeof EventOrder>;

export const orderBy = EventOrder.optional().describe("default time, newest first");

export const FilteredQuery = z
  .strictObject({
    ...filterShape,
    orderBy,
    limit: queryInteger(
      { min: 1, max: EVENTS_LIMITS.filteredLimit.max },
      "events in one answer, default 10000",
    ).optional(),
    cursor,
    asOf,
  })
  .superRefine(checkOrder)
  .superRefine(checkCircle);
export type FilteredQuery = z.output<typeof FilteredQuery>;

const events = z.array(SeismicEventBody);
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

const EventParams = z.object({ id: Id, eventId: Id });

export const listEvents = operation({
  id: "listEvents",
  method: "GET",
  path: "/api/catalogues/:id/events",
  summary: "The events of a catalogue by page, by offset or by cursor",
  tag: "Events",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: EventsQuery,
  success: { status: 200, schema: z.union([PageAnswer, OffsetAnswer, CursorAnswer]) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND"],
});

export const filterEvents = operation({
  id: "filterEvents",
  method: "GET",
  path: "/api/catalogues/:id/events/filtered",
  summary: "The events of a catalogue that satisfy every given filter",
  tag: "Events",
  access: "readers",
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
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND"],
});

export const getEvent = operation({
  id: "getEvent",
  method: "GET",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "One event",
  tag: "Events",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({ asOf }),
  success: { status: 200, schema: z.object({ event: SeismicEventBody }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const EventChange = z
  .object({
    version: z.int(),
    created_at: z.string(),
    change: z.enum(["added", "updated", "removed"]),
    event: SeismicEventBody,
  })
  .meta({ id: "EventChange" });
export type EventChange = z.infer<typeof EventChange>;

export const getEventHistory = operation({
  id: "getEventHistory",
  method: "GET",
  path: "/api/catalogues/:id/events/:eventId/history",
  summary: "Every version of one event, newest first",
  tag: "Events",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ history: z.array(EventChange) }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const AddEventsBody = z.object({
  events: z.array(SubmittedEvent),
  updateExisting: z.boolean().optional(),
});

export const addEvents = operation({
  id: "addEvents",
  method: "POST",
  path: "/api/catalogues/:id/events",
  summary: "Add events, and update those already present when asked to",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: "events",
  documentedBody: AddEventsBody,
  success: {
    status: 200,
    schema: z.object({
      version: z.int(),
      validationReport: ValidationReport,
      newEvents: z.int(),
      updatedEvents: z.int(),
      skippedEvents: z.int(),
    }),
  },
  errors: [
    "VALIDATION_ERROR",
    "INVALID_JSON",
    "ALL_EVENTS_INVALID",
    "NOT_FOUND",
    "CONFLICT",
    "PRECONDITION_FAILED",
    "TOO_MANY_EVENTS",
    "BODY_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "DATABASE_ERROR",
  ],
});

export const changeEvent = operation({
  id: "changeEvent",
  method: "PATCH",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "Change attributes of one event; null clears an optional one",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: EventParams,
  body: z.record(z.string(), z.unknown()),
  success: { status: 200, schema: z.object({ event: SeismicEventBody, version: z.int() }) },
  errors: [
    "VALIDATION_ERROR",
    "INVALID_JSON",
    "NOT_FOUND",
    "CONFLICT",
    "PRECONDITION_FAILED",
    "UNSUPPORTED_MEDIA_TYPE",
    "DATABASE_ERROR",
  ],
});

export const removeEvent = operation({
  id: "removeEvent",
  method: "DELETE",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "Remove one event; earlier versions keep it",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: EventParams,
  success: {
    status: 200,
    schema: z.object({ success: z.boolean(), version: z.int() }),
  },
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "DATABASE_ERROR"],
});
