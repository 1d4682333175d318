import { z } from "zod";
import { AGENCY_LIMITS } from "../agency-limits.ts";
import { CatalogueAccess } from "../catalogue-rights.ts";
import { ElementTalliesBody } from "../element-tallies.ts";
import {
  ImportCounts,
  ImportDetail,
  ImportError,
  type ImportFilters,
  ImportTally,
  SkippedReasons,
} from "../import-run.ts";
import { bodyFilterShape } from "../query/filter-parameters.ts";
import { ordered, queryTime } from "../query/values.ts";
import { Id } from "./catalogue.ts";
import { CATALOGUE_NAME_MAX } from "./catalogues.ts";
import { Accepted } from "./jobs.ts";
import { BODY_ERRORS, operation } from "./operation.ts";

/** Longest window in hours: a thousand years, like the range of origin times. */
const MAX_HOURS = 8_766_000;

const bound = (number: z.ZodNumber, description: string) =>
  number.nullable().default(null).describe(`${description}; null or absent: unbounded`);
const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

/** What is asked for, beside its time. */
export const importFilters = {
  minMagnitude: bound(z.number(), "inclusive"),
  maxMagnitude: bound(z.number(), "inclusive"),
  minDepth: bound(z.number(), "km, inclusive"),
  maxDepth: bound(z.number(), "km, inclusive"),
  minLatitude: bound(latitude, "deg, inclusive"),
  maxLatitude: bound(latitude, "deg, inclusive"),
  minLongitude: bound(longitude, "deg, inclusive; above maxLongitude: across the antimeridian"),
  maxLongitude: bound(longitude, "deg, inclusive"),
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
    hours: z.number().positive().max(MAX_HOURS).optional().describe("the last N hours"),
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

export const importEvents = operation({
  method: "POST",
  path: "/api/import/agency",
  summary: "Import events of an agency into a new or an existing catalogue",
  tag: "Import",
  access: "editor",
  makesCatalogue: "sometimes",
  names: { "body.catalogueId": "change" },
  rate: "write",
  body: ImportBody,
  example: { catalogueName: "New Zealand, last week", hours: 168, minMagnitude: 4 },
  success: { status: 200, schema: ImportResult },
  accepted: { status: 202, schema: Accepted },
  errors: [
    ...BODY_ERRORS,
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
