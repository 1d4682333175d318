import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, selectedEvents, TIMES_OF_GROUP } from "./selection.ts";

const bound = z.number().nullable();
const SummaryRow = z.object({
  type: z.string().nullable(),
  eventType: z.string().nullable(),
  count: z.int(),
  withMagnitude: z.int(),
  withDepth: z.int(),
  minMagnitude: bound,
  maxMagnitude: bound,
  minDepth: bound,
  maxDepth: bound,
  minLatitude: bound,
  maxLatitude: bound,
  minLongitude: bound,
  maxLongitude: bound,
  start: z.string(),
  end: z.string(),
});

/** The events of one magnitude type and one event type: how many, and within which bounds. */
export type SummaryRow = z.infer<typeof SummaryRow>;

export async function summaryRows(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
): Promise<readonly SummaryRow[]> {
  return aggregates(pool).any(sql.type(SummaryRow)`
    select magnitude_type as type, event_type as "eventType", count(*)::int as count,
      count(magnitude)::int as "withMagnitude", count(depth)::int as "withDepth",
      min(magnitude) as "minMagnitude", max(magnitude) as "maxMagnitude",
      min(depth) as "minDepth", max(depth) as "maxDepth",
      min(latitude) as "minLatitude", max(latitude) as "maxLatitude",
      min(longitude) as "minLongitude", max(longitude) as "maxLongitude", ${TIMES_OF_GROUP}
    from ${selectedEvents(selection)}
    group by 1, 2`);
}
