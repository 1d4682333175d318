/**
 * The events of a catalogue, one resource: read by page, filter, column or id, and changed.
 * Longer than other files, since all its operations are here.
 */

import { z } from "zod";
import { solutionChangesShape } from "../bulletin/schema.ts";
import { RevisionCause } from "../events/catalogues.ts";
import { UnmatchedRow } from "../events/imports.ts";
import { MagnitudeConversion, MERGE_LIMITS, ShownSource } from "../merges/config.ts";
import { GivenConversions } from "../merges/conversions.ts";
import {
  asOf,
  BodyFilters,
  bodyFilterShape,
  filteredQuery,
  filterShape,
  includedBulletin,
  orderBy,
  queryInteger,
  queryLimit,
  queryList,
  queryText,
  WriteQuery,
} from "../query/parameters.ts";
import { ATTRIBUTE_NAMES } from "../seismic-event/attributes.ts";
import {
  ListedEventBody,
  SeismicEventBody,
  SubmittedEvent,
  ValidationReport,
} from "./event-bodies.ts";
import { Accepted } from "./jobs.ts";
import { EXAMPLE, Id, operation, sharedAt, Warnings } from "./operation.ts";
import { UploadReference } from "./uploads.ts";

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

export const listEvents = operation("GET", "/api/catalogues/:id/events", {
  summary: "The events of a catalogue by page, by offset or by cursor",
  access: "readers",
  alsoAt: sharedAt("/events"),
  caching: "revalidated",
  query: EventsQuery,
  answer: z.union([PageAnswer, OffsetAnswer, CursorAnswer]),
});

export const filterEvents = operation("GET", "/api/catalogues/:id/events/filtered", {
  summary: "The events of a catalogue that satisfy all filters",
  access: "readers",
  alsoAt: sharedAt("/events/filtered"),
  caching: "revalidated",
  query: FilteredQuery,
  answer: z.object({
    events,
    count: z.int(),
    truncated: z.boolean(),
    nextCursor: z.string().optional(),
  }),
  errors: ["TOO_MANY_EVENTS"],
});

/**
 * What can be a column: everything of an event that is one number or one text, and how many arrivals
 * its bulletin has.
 */
const ColumnName = z.enum(["id", "time", ...ATTRIBUTE_NAMES, "arrivals"]);
export type ColumnName = z.output<typeof ColumnName>;
/** Those that are of the event's row. */
export type ScalarName = Exclude<ColumnName, "arrivals">;

export const DEFAULT_COLUMNS: readonly ScalarName[] = [
  "id",
  "time",
  "latitude",
  "longitude",
  "depth",
  "magnitude",
];

/** The forms of columns with their media types, the default first. */
export const COLUMNS_FORMS = {
  packed: { contentType: "application/octet-stream" },
  json: { contentType: "application/json; charset=utf-8" },
} as const;

const COLUMN_NAMES: readonly string[] = ColumnName.options;

const columns = z
  .string()
  .transform((text, context) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.find((name) => !COLUMN_NAMES.includes(name));
    if (unknown !== undefined) {
      context.addIssue({ code: "custom", message: `there is no column "${unknown}"` });
    } else if (new Set(names).size < names.length) {
      context.addIssue({ code: "custom", message: "a column is named twice" });
    }
    return names;
  })
  .pipe(z.array(ColumnName))
  .describe(
    `names of scalar attributes, or arrivals (their number, null without a bulletin), comma list; default ${DEFAULT_COLUMNS.join(",")}`,
  );

export const getEventColumns = operation("GET", "/api/catalogues/:id/events/columns", {
  summary: "The events of a catalogue that satisfy all filters, by column, newest first",
  access: "readers",
  alsoAt: sharedAt("/events/columns"),
  caching: "revalidated",
  query: filteredQuery({ ...filterShape, columns: columns.optional(), asOf }),
  answer: z
    .string()
    .describe(
      "packed as contracts/docs/events.md describes, or {catalogue, version, count, total?, columns: [{name, values}]}",
    ),
  contentTypes: Object.values(COLUMNS_FORMS).map(({ contentType }) => contentType),
  errors: ["TOO_MANY_EVENTS"],
});

export const getEvent = operation("GET", "/api/catalogues/:id/events/:eventId", {
  summary: "One event",
  access: "readers",
  alsoAt: sharedAt("/events/:eventId"),
  caching: "revalidated",
  query: z.strictObject({ asOf, include: includedBulletin }),
  answer: z.object({ event: SeismicEventBody }),
});

export const EventChange = z
  .object({
    version: z.int(),
    created_at: z.string(),
    change: z.enum(["added", "updated", "removed"]),
    actor: z.string().nullable().describe("who made the version; null for guests"),
    cause: RevisionCause,
    import: z
      .object({ id: z.uuid(), agency: z.string() })
      .nullable()
      .describe("the run of an import; null for other causes"),
    sources: z
      .array(ShownSource)
      .nullable()
      .describe("what a merge was made of; null for other causes"),
    restores: z
      .int()
      .nullable()
      .describe("the version that a restore of the catalogue or of the event repeats, else null"),
    reason: z
      .string()
      .nullable()
      .describe("why, in the words of the actor; null where nothing was said, and for guests"),
    event: SeismicEventBody,
    ...solutionChangesShape,
  })
  .meta({ id: "EventChange" });
export type EventChange = z.infer<typeof EventChange>;

export const getEventHistory = operation("GET", "/api/catalogues/:id/events/:eventId/history", {
  summary: "Every version of one event, newest first",
  access: "readers",
  caching: "revalidated",
  answer: z.object({ history: z.array(EventChange) }),
});

/** Most events that an id is answered with. */
export const EVENTS_OF_ID = 100;

/** Where an event is that an id leads to. */
export const EventOfId = z
  .object({
    catalogue_id: z.uuid(),
    event_id: z.uuid(),
    by: z
      .enum(["id", "source_id", "public_id", "former", "member"])
      .describe(
        "which of its ids it is; former: one that it had before its latest state; member: one of an event that was merged into it",
      ),
    version: z.int().describe("the last version that has the event"),
    removed: z.boolean().describe("whether the latest version has it no more"),
  })
  .meta({ id: "EventOfId" });

export const getEventsById = operation("GET", "/api/events/by-id/:id", {
  summary: "The events that have or had an id, in all catalogues that the caller may read",
  access: "public",
  params: z.object({
    id: queryText().describe(
      "an event's id with or without hyphens, source_id or public id, percent-encoded",
    ),
  }),
  answer: z.object({
    events: z.array(EventOfId).describe(`those that are there first, ${EVENTS_OF_ID} at most`),
    truncated: z.boolean().describe("whether there are more"),
  }),
});

const updateExisting = z.boolean().optional();

/** Ids by which rows find the events that they are about. */
const JOINS = ["source_id"] as const;

export const AddEventsBody = z.union([
  z.object({ events: z.array(SubmittedEvent), updateExisting }),
  z.object({ ...UploadReference.shape, updateExisting }),
  z.object({
    ...UploadReference.shape,
    join: z
      .enum(JOINS)
      .describe("what each row says is added to the event that has its id, or had it"),
    preferred: z
      .boolean()
      .default(false)
      .describe("whether what is added becomes what the event shows"),
  }),
]);

/** The body without its events, as it is read. */
export const AddEventsEnvelope = z
  .object({
    updateExisting: z.boolean().default(false),
    ...UploadReference.partial().shape,
    join: z.enum(JOINS).optional(),
    preferred: z.boolean().optional(),
  })
  .superRefine(({ uploadId, join, preferred, updateExisting: updates }, { addIssue }) => {
    const fault = (path: string, message: string) =>
      addIssue({ code: "custom", path: [path], message });
    if (join !== undefined && uploadId === undefined) {
      fault("join", "joins the rows of a kept upload, which uploadId must name");
    }
    if (join !== undefined && updates) {
      fault("updateExisting", "is for events that are added; a join adds to those that are there");
    }
    if (join === undefined && preferred !== undefined) {
      fault("preferred", "is for a join, which says by what id rows belong to events");
    }
  });

export const addEvents = operation("POST", "/api/catalogues/:id/events", {
  summary:
    "Add events, and update those that are there where updateExisting says so; or add what a file says of events that are there",
  access: "editor",
  query: WriteQuery,
  body: "bytes",
  documentedBody: AddEventsBody,
  example: {
    events: [
      {
        source_id: "2016p859524",
        time: "2016-11-14T00:34:22Z",
        latitude: -42.32,
        longitude: 173.74,
        depth: 9,
        magnitude: 6.3,
        magnitude_type: "Mw",
      },
    ],
    updateExisting: true,
  },
  answer: z.object({
    version: z.int(),
    validationReport: ValidationReport,
    newEvents: z.int(),
    updatedEvents: z.int(),
    skippedEvents: z.int(),
    unmatched: z
      .array(UnmatchedRow)
      .optional()
      .describe("of a join: rows that are about no event and make nothing, the first 100"),
    unmatchedCount: z.int().optional(),
    warnings: Warnings,
  }),
  accepted: { status: 202, schema: Accepted },
  errors: [
    "ALL_EVENTS_INVALID",
    "UNSUPPORTED_FORMAT",
    "PARSE_ERROR",
    "CONFLICT",
    "PRECONDITION_FAILED",
    "TOO_MANY_EVENTS",
  ],
});

export const changeEvent = operation("PATCH", "/api/catalogues/:id/events/:eventId", {
  summary: "Change attributes of one event; null clears an optional one",
  access: "editor",
  query: WriteQuery,
  body: z.record(z.string(), z.unknown()),
  example: { magnitude: 6.2, magnitude_type: "Mw", depth: null },
  answer: z.object({ event: SeismicEventBody, version: z.int() }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const removeEvent = operation("DELETE", "/api/catalogues/:id/events/:eventId", {
  summary: "Remove one event; earlier versions keep it",
  access: "editor",
  query: WriteQuery,
  answer: z.object({ success: z.boolean(), version: z.int() }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

/** Events that one request may remove. */
const MAX_REMOVED = 10_000;

export const removeEvents = operation("POST", "/api/catalogues/:id/events/remove", {
  summary: "Remove several events at once; earlier versions keep them",
  access: "editor",
  query: WriteQuery,
  body: z.object({
    events: z
      .array(Id)
      .max(MAX_REMOVED)
      .describe("ids of events of the latest version; one that it does not have refuses all"),
  }),
  example: { events: [EXAMPLE.event] },
  answer: z.object({
    version: z.int().describe("the new version, or the latest where nothing is removed"),
    removed: z.int(),
  }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const restoreEvent = operation("POST", "/api/catalogues/:id/events/:eventId/restore", {
  summary: "Make one event as it was in an earlier version, under its id; a removed one comes back",
  access: "editor",
  query: WriteQuery,
  body: z.object({
    version: z.int().min(1).describe("a version that has the event"),
  }),
  example: { version: 1 },
  answer: z.object({
    event: SeismicEventBody,
    version: z.int().describe("the new version, or the latest where nothing differs"),
  }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const listConversions = operation("GET", "/api/conversions", {
  summary: "The conversions between types of magnitude that are known by name, with their sources",
  access: "public",
  answer: z.object({ conversions: z.array(MagnitudeConversion) }),
});

export const convertMagnitudes = operation("POST", "/api/catalogues/:id/conversions", {
  summary: "Convert the magnitudes of events by one edit; the originals are kept",
  access: "editor",
  query: WriteQuery,
  body: z.object({
    conversions: GivenConversions.min(1),
    filters: BodyFilters.optional().describe("the events that are looked at; absent: all"),
  }),
  example: { conversions: ["isc-gem-mb"], filters: { minMagnitude: 4.5 } },
  answer: z.object({
    version: z.int().describe("the new version, or the latest where nothing is converted"),
    converted: z.int(),
    outOfRange: z
      .int()
      .describe("events whose type and agency conversions are for, and no range of them"),
  }),
  accepted: { status: 202, schema: Accepted },
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

const Duplicate = z.object({
  event_id: z.uuid(),
  source_id: z.string().nullable(),
  time: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  depth: z.number().nullable().describe("kilometres"),
  magnitude: z.number().nullable(),
});

export const Duplicates = z
  .object({
    version: z.int().describe("the version that was looked at"),
    groups: z
      .array(z.object({ members: z.array(Duplicate) }))
      .describe(
        `events that may be one earthquake, by time; the first ${MERGE_LIMITS.duplicateGroups} groups, of ${MERGE_LIMITS.duplicateMembers} events at most`,
      ),
    truncated: z.boolean().describe("whether there are more"),
  })
  .meta({ id: "Duplicates" });
export type Duplicates = z.infer<typeof Duplicates>;

export const findDuplicates = operation("POST", "/api/catalogues/:id/duplicates", {
  summary: "Events of one catalogue that may be the same earthquake; nothing is written",
  access: "editor",
  act: "read",
  scope: "read",
  body: z.object({
    timeThreshold: z.number().min(0).max(MERGE_LIMITS.timeThresholdSeconds).describe("seconds"),
    distanceThreshold: z
      .number()
      .min(0)
      .max(MERGE_LIMITS.distanceThresholdKm)
      .describe("kilometres"),
    magnitudeDifference: z
      .number()
      .min(0)
      .optional()
      .describe("most of two duplicates; an unknown magnitude is then within none"),
    filters: filteredQuery(bodyFilterShape).optional().describe("of the events looked at"),
  }),
  example: { timeThreshold: 16, distanceThreshold: 50, filters: { minMagnitude: 4 } },
  answer: Duplicates,
  errors: ["MERGE_ERROR"],
});
