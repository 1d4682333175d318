import { z } from "zod";
import { ImportDetail, WithdrawnHandling } from "../import-run.ts";
import { ordered } from "../query/values.ts";
import { TableReading } from "../schedule.ts";
import { Id } from "./catalogue.ts";
import { EXAMPLE } from "./example-ids.ts";
import { FILTER_PAIRS, importFilters } from "./imports.ts";
import { Accepted } from "./jobs.ts";
import { longListShape, nextCursor } from "./long-list.ts";
import { BODY_ERRORS, operation } from "./operation.ts";
import { UploadReference } from "./upload.ts";

const MAX_MINUTES = 10_080;
const MAX_HOURS = 87_600;

const agency = z.string().min(1).max(100).describe("id of an agency that is enabled");
const everyMinutes = z
  .int()
  .min(1)
  .max(MAX_MINUTES)
  .describe("from the begin of one run to the next; the first is due as long after the creation");
const lookbackHours = z.int().min(1).max(MAX_HOURS).describe("a run asks for the last N hours");
const detail = ImportDetail.describe("full: whole events; summary: FDSN text");
const updateExisting = z.boolean().describe("false: what is there is left as it is");
const withdrawn = WithdrawnHandling.describe(
  "what becomes of events that this agency delivered and has no more: they stay, get extra.withdrawn_at, or are removed",
);
const push = z.boolean().describe("also take what the agency sends by itself");
const join = z
  .literal("source_id")
  .describe(
    "of a table: what its rows say is added to the events that have or had their ids, whatever their time; absent: its rows are imported",
  );
const columns = UploadReference.shape.columns
  .unwrap()
  .describe("of a table: what its columns are, as at an upload");

/** A member that is left out stays as it is. */
const optionalFilters = Object.fromEntries(
  Object.entries(importFilters).map(([name, filter]) => [
    name,
    filter.removeDefault().optional().describe("null: unbounded; absent: as it is"),
  ]),
) as {
  [K in keyof typeof importFilters]: z.ZodOptional<
    ReturnType<(typeof importFilters)[K]["removeDefault"]>
  >;
};

export const CreateScheduleBody = z
  .object({
    catalogueId: Id,
    agency,
    everyMinutes,
    lookbackHours,
    ...importFilters,
    detail: detail.default("full"),
    updateExisting: updateExisting.default(true),
    withdrawn: withdrawn.default("keep"),
    push: push.default(false),
    join: join.optional(),
    columns: columns.optional(),
  })
  .superRefine(ordered(FILTER_PAIRS));
export type CreateScheduleBody = z.output<typeof CreateScheduleBody>;

export const UpdateScheduleBody = z
  .object({
    agency: agency.optional(),
    everyMinutes: everyMinutes.optional(),
    lookbackHours: lookbackHours.optional(),
    ...optionalFilters,
    detail: detail.optional(),
    updateExisting: updateExisting.optional(),
    withdrawn: withdrawn.optional(),
    push: push.optional(),
    join: join.nullable().optional().describe("null: its rows are imported"),
    columns: columns.nullable().optional().describe("null: they are known by their names"),
    paused: z.boolean().optional().describe("true: it runs by hand alone"),
  })
  .superRefine(ordered(FILTER_PAIRS));
export type UpdateScheduleBody = z.output<typeof UpdateScheduleBody>;

const bound = z.number().nullable();

export const Schedule = z
  .object({
    id: z.uuid(),
    catalogueId: z.uuid(),
    agency: z.string(),
    everyMinutes: z.int(),
    lookbackHours: z.int(),
    minMagnitude: bound,
    maxMagnitude: bound,
    minDepth: bound,
    maxDepth: bound,
    minLatitude: bound,
    maxLatitude: bound,
    minLongitude: bound,
    maxLongitude: bound,
    polygon: z.string().nullable(),
    region: z.uuid().nullable(),
    detail: ImportDetail,
    updateExisting: z.boolean(),
    withdrawn: WithdrawnHandling,
    push: z.boolean(),
    join: join.optional(),
    columns: TableReading.shape.columns,
    paused: z.boolean(),
    running: z.boolean(),
    created_by: z.string().describe("user id: in whose name it imports, and by whose rights"),
    created_at: z.string(),
    updated_at: z.string(),
    last_run: z.string().nullable().describe("when the last run began"),
    last_whole: z
      .string()
      .nullable()
      .describe(
        "when the last run began that read the window whole, or the last part of it, as it is asked for now",
      ),
    next_run: z
      .string()
      .nullable()
      .describe("when the next run is due; in the past while it waits; null while it is paused"),
    failures: z.int().describe("runs that have failed since the last one that did not"),
    error: z
      .string()
      .nullable()
      .describe("why the last run failed or withheld withdrawals, or why it was paused"),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

const ScheduleParams = z.object({ id: Id });
const oneSchedule = { status: 200, schema: z.object({ schedule: Schedule }) } as const;

export const createSchedule = operation({
  method: "POST",
  path: "/api/schedules",
  summary: "Import from an agency into a catalogue again and again",
  tag: "Schedules",
  access: "editor",
  names: { "body.catalogueId": "change" },
  rate: "write",
  body: CreateScheduleBody,
  example: {
    catalogueId: EXAMPLE.catalogue,
    agency: "geonet",
    everyMinutes: 60,
    lookbackHours: 48,
  },
  success: { ...oneSchedule, status: 201 },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT"],
});

export const listSchedules = operation({
  method: "GET",
  path: "/api/schedules",
  summary: "The schedules of the catalogues that the caller reads, newest first",
  tag: "Schedules",
  access: "editor",
  names: { "query.catalogueId": "read" },
  rate: "read",
  query: z.strictObject({
    catalogueId: Id.optional().describe("of this catalogue alone"),
    ...longListShape,
  }),
  success: { status: 200, schema: z.object({ schedules: z.array(Schedule), nextCursor }) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR"],
});

export const getSchedule = operation({
  method: "GET",
  path: "/api/schedules/:id",
  summary: "One schedule, and how it fares",
  tag: "Schedules",
  access: "editor",
  rate: "read",
  params: ScheduleParams,
  success: oneSchedule,
  errors: ["NOT_FOUND"],
});

export const updateSchedule = operation({
  method: "PATCH",
  path: "/api/schedules/:id",
  summary: "Change, pause or resume a schedule",
  tag: "Schedules",
  access: "editor",
  rate: "write",
  params: ScheduleParams,
  body: UpdateScheduleBody,
  example: { everyMinutes: 30, minMagnitude: null, paused: true },
  success: oneSchedule,
  errors: [...BODY_ERRORS, "NOT_FOUND"],
});

export const deleteSchedule = operation({
  method: "DELETE",
  path: "/api/schedules/:id",
  summary: "End a schedule; what it imported stays",
  tag: "Schedules",
  access: "editor",
  rate: "write",
  params: ScheduleParams,
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND"],
});

export const runSchedule = operation({
  method: "POST",
  path: "/api/schedules/:id/run",
  summary: "Run a schedule now",
  tag: "Schedules",
  access: "editor",
  rate: "write",
  params: ScheduleParams,
  success: { status: 202, schema: Accepted },
  errors: ["NOT_FOUND", "CONFLICT"],
});
