/** Imports: asked for, repeated by schedules, recorded, and the agencies that they ask. */

import { z } from "zod";
import { AGENCY_LIMITS, REQUESTS_AT_ONCE } from "../events/agencies.ts";
import {
  AgencySettings,
  ElementTalliesBody,
  ImportCounts,
  ImportDetail,
  ImportError,
  ImportFilters,
  ImportTally,
  SkippedReasons,
  TableReading,
  WithdrawnHandling,
} from "../events/imports.ts";
import {
  bodyFilterShape,
  longListShape,
  nextCursor,
  ordered,
  queryInteger,
  queryTime,
} from "../query/parameters.ts";
import { CatalogueAccess } from "../rights.ts";
import { CATALOGUE_NAME_MAX } from "./catalogues.ts";
import { Accepted } from "./jobs.ts";
import { EXAMPLE, Id, operation, Success } from "./operation.ts";
import { UploadReference } from "./uploads.ts";

/** Longest window in hours: a thousand years, like the range of origin times. */
const MAX_WINDOW_HOURS = 8_766_000;

const optionalBound = (number: z.ZodNumber, description: string) =>
  number.nullable().default(null).describe(`${description}; null or absent: unbounded`);
const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

/** What is asked for, beside its time. */
export const importFilters = {
  minMagnitude: optionalBound(z.number(), "inclusive"),
  maxMagnitude: optionalBound(z.number(), "inclusive"),
  minDepth: optionalBound(z.number(), "km, inclusive"),
  maxDepth: optionalBound(z.number(), "km, inclusive"),
  minLatitude: optionalBound(latitude, "deg, inclusive"),
  maxLatitude: optionalBound(latitude, "deg, inclusive"),
  minLongitude: optionalBound(
    longitude,
    "deg, inclusive; above maxLongitude: across the antimeridian",
  ),
  maxLongitude: optionalBound(longitude, "deg, inclusive"),
  polygon: bodyFilterShape.polygon.unwrap().nullable().default(null),
  region: bodyFilterShape.region.unwrap().nullable().default(null),
} satisfies Record<keyof ImportFilters, z.ZodType>;

/** Bounds that belong together, the lower one first. */
export const FILTER_PAIRS = [
  ["minMagnitude", "maxMagnitude"],
  ["minDepth", "maxDepth"],
  ["minLatitude", "maxLatitude"],
] as const;

/** The window is the last `hours`, by default 24, or from `startDate` to `endDate`. */
export const ImportBody = z
  .object({
    catalogueId: Id.optional().describe("without it a new catalogue is made"),
    agency: z
      .string()
      .max(AGENCY_LIMITS.id)
      .optional()
      .describe("id of the agency that is asked; without it that of the configuration"),
    catalogueName: z.string().optional().describe("of the new catalogue; 1 to 255 characters"),
    access: CatalogueAccess.optional().describe("who may read the new catalogue; default internal"),
    startDate: queryTime("ISO 8601, inclusive").optional(),
    endDate: queryTime("ISO 8601, inclusive; default now").optional(),
    hours: z.number().positive().max(MAX_WINDOW_HOURS).optional().describe("the last N hours"),
    ...importFilters,
    updateExisting: z.boolean().default(false),
    detail: ImportDetail.default("full").describe("full: QuakeML; summary: FDSN text"),
  })
  .superRefine(checkWindow)
  .superRefine(checkTarget)
  .superRefine(ordered([["startDate", "endDate"], ...FILTER_PAIRS]));
export type ImportBody = z.output<typeof ImportBody>;

function checkWindow(body: Record<string, unknown>, context: z.RefinementCtx): void {
  const { hours, startDate, endDate } = body;
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (hours !== undefined && (startDate !== undefined || endDate !== undefined)) {
    refuse("hours", "cannot be given beside startDate or endDate");
  } else if (endDate !== undefined && startDate === undefined) {
    refuse("endDate", "cannot be given without startDate");
  }
}

/** What a catalogue that is there is for is changed by itself. */
function checkTarget(body: Record<string, unknown>, context: z.RefinementCtx): void {
  if (body["catalogueId"] === undefined || body["access"] === undefined) return;
  const message = "is of a new catalogue, and cannot be given with catalogueId";
  context.addIssue({ code: "custom", path: ["access"], message });
}

export const ImportResult = z
  .object({
    success: z.boolean().describe("whether there were no errors"),
    catalogueId: z.uuid(),
    catalogueName: z.string().max(CATALOGUE_NAME_MAX),
    version: z.int().describe("the catalogue's after the import; 0 while it has none"),
    ...ImportCounts.shape,
    skippedReasons: SkippedReasons,
    withdrawnEvents: ImportTally.shape.withdrawnEvents,
    withheld: ImportTally.shape.withheld,
    unmatched: ImportTally.shape.unmatched,
    unmatchedCount: ImportTally.shape.unmatchedCount,
    errors: z.array(ImportError).describe("one for each event that could not be taken"),
    elements: ElementTalliesBody.optional(),
  })
  .meta({ id: "ImportResult" });
export type ImportResult = z.infer<typeof ImportResult>;

export const importEvents = operation("POST", "/api/import/agency", {
  summary: "Import events of an agency into a new or an existing catalogue",
  access: "editor",
  makesCatalogue: "sometimes",
  names: { "body.catalogueId": "change" },
  body: ImportBody,
  example: { catalogueName: "New Zealand, last week", hours: 168, minMagnitude: 4 },
  answer: ImportResult,
  accepted: { status: 202, schema: Accepted },
  errors: [
    "MISSING_NAME",
    "NAME_TOO_LONG",
    "NOT_FOUND",
    "CONFLICT",
    "AGENCY_UNAVAILABLE",
    "AGENCY_TIMEOUT",
    "AGENCY_ERROR",
    "CIRCUIT_OPEN",
  ],
});

export const ImportRecord = z
  .object({
    id: z.uuid(),
    catalogue_id: z.uuid(),
    schedule_id: z.uuid().nullable().describe("the schedule whose run it was; null for others"),
    start_time: z.string().describe("when the run began"),
    end_time: z.string().describe("when the run ended"),
    window_start: z.string(),
    window_end: z.string(),
    total_fetched: z.int(),
    new_events: z.int(),
    updated_events: z.int(),
    skipped_events: z.int(),
    withdrawn_events: ImportTally.shape.withdrawnEvents,
    withheld: ImportTally.shape.withheld,
    unmatched: ImportTally.shape.unmatched,
    unmatched_count: ImportTally.shape.unmatchedCount,
    errors: z
      .array(ImportError)
      .nullable()
      .describe("null where there were none; of a failed run the last one tells why"),
    created_at: z.string(),
    elements: ElementTalliesBody.optional(),
  })
  .meta({ id: "ImportRecord" });
export type ImportRecord = z.infer<typeof ImportRecord>;

export const listImports = operation("GET", "/api/import/history", {
  summary: "The imports into a catalogue that have ended, those of schedules too, newest first",
  access: "viewer",
  names: { "query.catalogueId": "list" },
  query: z.strictObject({
    catalogueId: Id,
    limit: queryInteger({ min: 1, max: 100 }, "number of records").default(10),
  }),
  answer: z.array(ImportRecord),
});

const MAX_MINUTES = 10_080;
const MAX_LOOKBACK_HOURS = 87_600;

const agency = z.string().min(1).max(100).describe("id of an agency that is enabled");
const everyMinutes = z
  .int()
  .min(1)
  .max(MAX_MINUTES)
  .describe("from the begin of one run to the next; the first is due as long after the creation");
const lookbackHours = z
  .int()
  .min(1)
  .max(MAX_LOOKBACK_HOURS)
  .describe("a run asks for the last N hours");
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

export const Schedule = z
  .object({
    id: z.uuid(),
    catalogueId: z.uuid(),
    agency: z.string(),
    everyMinutes: z.int(),
    lookbackHours: z.int(),
    ...ImportFilters.shape,
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

const oneSchedule = z.object({ schedule: Schedule });

export const createSchedule = operation("POST", "/api/schedules", {
  summary: "Import from an agency into a catalogue again and again",
  access: "editor",
  names: { "body.catalogueId": "change" },
  body: CreateScheduleBody,
  example: {
    catalogueId: EXAMPLE.catalogue,
    agency: "geonet",
    everyMinutes: 60,
    lookbackHours: 48,
  },
  status: 201,
  answer: oneSchedule,
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const listSchedules = operation("GET", "/api/schedules", {
  summary: "The schedules of the catalogues that the caller reads, newest first",
  access: "editor",
  names: { "query.catalogueId": "list" },
  query: z.strictObject({
    catalogueId: Id.optional().describe("of this catalogue alone"),
    ...longListShape,
  }),
  answer: z.object({ schedules: z.array(Schedule), nextCursor }),
});

export const getSchedule = operation("GET", "/api/schedules/:id", {
  summary: "One schedule, and how it fares",
  access: "editor",
  answer: oneSchedule,
});

export const updateSchedule = operation("PATCH", "/api/schedules/:id", {
  summary: "Change, pause or resume a schedule",
  access: "editor",
  body: UpdateScheduleBody,
  example: { everyMinutes: 30, minMagnitude: null, paused: true },
  answer: oneSchedule,
});

export const deleteSchedule = operation("DELETE", "/api/schedules/:id", {
  summary: "End a schedule; what it imported stays",
  access: "editor",
  answer: Success,
});

export const runSchedule = operation("POST", "/api/schedules/:id/run", {
  summary: "Run a schedule now",
  access: "editor",
  status: 202,
  answer: Accepted,
  errors: ["CONFLICT"],
});

/** An agency that events are imported from. */
export const Agency = z
  .object({
    id: z.string(),
    ...AgencySettings.shape,
    kind: z
      .enum(["first", "preset", "added"])
      .describe("of the configuration; known beforehand; added by an administrator"),
    push_since: z
      .string()
      .nullable()
      .describe("since when its messages come; null while they do not, or no schedule wants them"),
  })
  .meta({ id: "Agency" });
export type Agency = z.infer<typeof Agency>;

const AGENCY_ID = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const address = z.string().max(AGENCY_LIMITS.url);

const settings = {
  name: z.string().describe(`one line of at most ${AGENCY_LIMITS.name} characters`),
  url: address.describe("http or https: below which the event service's methods are; of a file"),
  dialect: AgencySettings.shape.dialect.describe("how its service differs; table: it is a file"),
  enabled: z.boolean().describe("whether it may be asked"),
  maxPerRequest: z
    .int()
    .min(1)
    .max(AGENCY_LIMITS.perRequest)
    .nullable()
    .describe("most events that it gives in one answer; null: not known"),
  requestsAtOnce: z.int().min(1).max(AGENCY_LIMITS.atOnce),
  push: address.nullable().describe("address of its messages, ws or wss; null: it sends none"),
} satisfies Record<keyof AgencySettings, z.ZodType>;

export const NewAgency = z.object({
  id: z
    .string()
    .max(AGENCY_LIMITS.id)
    .regex(AGENCY_ID, "must consist of small letters, digits and hyphens between them"),
  ...settings,
  enabled: settings.enabled.default(true),
  maxPerRequest: settings.maxPerRequest.default(null),
  requestsAtOnce: settings.requestsAtOnce.default(REQUESTS_AT_ONCE),
  push: settings.push.default(null),
});

const AgencyParams = z.object({ id: z.string().max(AGENCY_LIMITS.id) });

export const listAgencies = operation("GET", "/api/agencies", {
  summary:
    "The agencies that events are imported from: that of the configuration, then the others by name",
  access: "viewer",
  answer: z.object({ agencies: z.array(Agency) }),
});

export const createAgency = operation("POST", "/api/agencies", {
  summary: "Add an agency",
  access: "admin",
  body: NewAgency,
  example: {
    id: "ingv-italy",
    name: "INGV, Italy",
    url: "https://webservices.ingv.it/fdsnws/event/1",
    dialect: "fdsn",
    maxPerRequest: 10_000,
  },
  status: 201,
  answer: z.object({ agency: Agency }),
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const updateAgency = operation("PATCH", "/api/agencies/:id", {
  summary: "Change an agency's settings, or turn it on or off",
  access: "admin",
  params: AgencyParams,
  body: z.object(settings).partial(),
  example: { enabled: false },
  answer: z.object({ agency: Agency }),
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const deleteAgency = operation("DELETE", "/api/agencies/:id", {
  summary: "Remove an agency; what was imported from it stays",
  access: "admin",
  params: AgencyParams,
  answer: Success,
  errors: ["CONFLICT"],
});
