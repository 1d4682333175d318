import { z } from "zod";
import { WriteQuery } from "../../query/reason.ts";
import { UnmatchedRow } from "../../unmatched-row.ts";
import { CatalogueParams, Id } from "../catalogue.ts";
import { SeismicEventBody, SubmittedEvent } from "../event-schemas.ts";
import { EXAMPLE } from "../example-ids.ts";
import { Accepted } from "../jobs.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { UploadReference } from "../upload.ts";
import { ValidationReport } from "../validation-report.ts";
import { Warnings } from "../warnings.ts";

export const EventParams = z.object({ id: Id, eventId: Id });

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

export const addEvents = operation({
  method: "POST",
  path: "/api/catalogues/:id/events",
  summary:
    "Add events, and update those that are there where updateExisting says so; or add what a file says of events that are there",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
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
  success: {
    status: 200,
    schema: z.object({
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
  },
  accepted: { status: 202, schema: Accepted },
  errors: [
    ...BODY_ERRORS,
    "ALL_EVENTS_INVALID",
    "UNSUPPORTED_FORMAT",
    "PARSE_ERROR",
    "NOT_FOUND",
    "CONFLICT",
    "PRECONDITION_FAILED",
    "TOO_MANY_EVENTS",
    "BODY_TOO_LARGE",
  ],
});

export const changeEvent = operation({
  method: "PATCH",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "Change attributes of one event; null clears an optional one",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  body: z.record(z.string(), z.unknown()),
  example: { magnitude: 6.2, magnitude_type: "Mw", depth: null },
  success: { status: 200, schema: z.object({ event: SeismicEventBody, version: z.int() }) },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});

export const removeEvent = operation({
  method: "DELETE",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "Remove one event; earlier versions keep it",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  success: { status: 200, schema: z.object({ success: z.boolean(), version: z.int() }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});

/** Events that one request may remove. */
const MAX_REMOVED = 10_000;

export const removeEvents = operation({
  method: "POST",
  path: "/api/catalogues/:id/events/remove",
  summary: "Remove several events at once; earlier versions keep them",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  query: WriteQuery,
  body: z.object({
    events: z
      .array(Id)
      .max(MAX_REMOVED)
      .describe("ids of events of the latest version; one that it does not have refuses all"),
  }),
  example: { events: [EXAMPLE.event] },
  success: {
    status: 200,
    schema: z.object({
      version: z.int().describe("the new version, or the latest where nothing is removed"),
      removed: z.int(),
    }),
  },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});

export const restoreEvent = operation({
  method: "POST",
  path: "/api/catalogues/:id/events/:eventId/restore",
  summary: "Make one event as it was in an earlier version, under its id; a removed one comes back",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  body: z.object({
    version: z.int().min(1).describe("a version that has the event"),
  }),
  example: { version: 1 },
  success: {
    status: 200,
    schema: z.object({
      event: SeismicEventBody,
      version: z.int().describe("the new version, or the latest where nothing differs"),
    }),
  },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});
