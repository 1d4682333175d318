import { z } from "zod";
import { ElementTalliesBody } from "../element-tallies.ts";
import { ImportError, ImportTally } from "../import-run.ts";
import { queryInteger } from "../query/values.ts";
import { Id } from "./catalogue.ts";
import { operation } from "./operation.ts";

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

export const listImports = operation({
  method: "GET",
  path: "/api/import/history",
  summary: "The imports into a catalogue that have ended, those of schedules too, newest first",
  tag: "Import",
  access: "viewer",
  names: { "query.catalogueId": "read" },
  rate: "read",
  query: z.strictObject({
    catalogueId: Id,
    limit: queryInteger({ min: 1, max: 100 }, "number of records").default(10),
  }),
  success: { status: 200, schema: z.array(ImportRecord) },
  errors: ["VALIDATION_ERROR"],
});
