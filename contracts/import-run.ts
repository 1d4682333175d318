import { z } from "zod";
import { ElementTalliesBody } from "./element-tallies.ts";
import { UnmatchedRow } from "./unmatched-row.ts";

/** What an import requests from the agency, in km and degrees: bounds inclusive, null for none. */
export const ImportFilters = z.object({
  minMagnitude: z.number().nullable(),
  maxMagnitude: z.number().nullable(),
  minDepth: z.number().nullable(),
  maxDepth: z.number().nullable(),
  minLatitude: z.number().nullable(),
  maxLatitude: z.number().nullable(),
  /** Above `maxLongitude` for a box across the antimeridian. */
  minLongitude: z.number().nullable(),
  maxLongitude: z.number().nullable(),
  /** WKT, and the id of a saved region: both hold where both are given. Absent in older events. */
  polygon: z.string().nullable().optional(),
  region: z.uuid().nullable().optional(),
});
export type ImportFilters = z.infer<typeof ImportFilters>;

/** ISO 8601 UTC; both ends inclusive. */
export const ImportWindow = z.object({ start: z.string(), end: z.string() });
export type ImportWindow = z.infer<typeof ImportWindow>;

/** `full`: QuakeML with everything the agency has. `summary`: FDSN text, which is smaller. */
export const ImportDetail = z.enum(["full", "summary"]);
export type ImportDetail = z.infer<typeof ImportDetail>;

/** A problem of an import and its place: an unusable event, or the run itself. */
export const ImportError = z
  .object({
    message: z.string(),
    source_id: z.string().optional().describe("the agency's id of the event, where it is known"),
    line: z
      .int()
      .optional()
      .describe("of the answer, from 1: where the event begins; absent in older runs"),
    where: z.string().optional().describe("which answer that is, and its line, for a person"),
    code: z.string().optional().describe("why the run failed; no event's error has it"),
  })
  .meta({ id: "ImportError" });
export type ImportError = z.infer<typeof ImportError>;

/** Why events were skipped; the counts add up to `skippedEvents`. */
export const SkippedReasons = z
  .object({
    existing: z.int().describe("there already, and not to be updated"),
    unchanged: z.int().describe("there already, as they are"),
    excluded: z.int().describe("of type not existing or duplicate"),
    rejected: z.int().describe("of evaluation status rejected"),
  })
  .meta({ id: "SkippedReasons" });
export type SkippedReasons = z.infer<typeof SkippedReasons>;

/** Every fetched event is counted once: in one of the other counts or among the errors. */
export const ImportCounts = z.object({
  totalFetched: z.int(),
  newEvents: z.int(),
  updatedEvents: z.int(),
  skippedEvents: z.int(),
});
export type ImportCounts = z.infer<typeof ImportCounts>;

/**
 * What becomes of an event that the agency delivered once and has no more: it stays as it is, gets the
 * time in `extra.withdrawn_at`, or is removed.
 */
export const WithdrawnHandling = z.enum(["keep", "mark", "remove"]);
export type WithdrawnHandling = z.infer<typeof WithdrawnHandling>;

/** Progress of an import: `totalFetched` = new + updated + skipped + `errors.length`. */
export const ImportTally = ImportCounts.extend({
  skippedReasons: SkippedReasons,
  withdrawnEvents: z
    .int()
    .optional()
    .describe("marked or removed, as the agency has them no more; absent where there are none"),
  withheld: z
    .int()
    .optional()
    .describe("missing at the agency, but too many to be withdrawn; absent where there are none"),
  unmatched: z
    .array(UnmatchedRow)
    .optional()
    .describe("of a join: rows that are about no event and make nothing, the first 100"),
  unmatchedCount: z.int().optional(),
  errors: z.array(ImportError),
  elements: ElementTalliesBody.optional(),
});
export type ImportTally = z.infer<typeof ImportTally>;

export const NOTHING_IMPORTED: ImportTally = {
  totalFetched: 0,
  newEvents: 0,
  updatedEvents: 0,
  skippedEvents: 0,
  skippedReasons: { existing: 0, unchanged: 0, excluded: 0, rejected: 0 },
  errors: [],
};
