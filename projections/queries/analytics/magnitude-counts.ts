import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import {
  type AnalysisSelection,
  aggregates,
  magnitudeBin,
  selectedEvents,
  TIMES_OF_GROUP,
} from "./selection.ts";

const MagnitudeCount = z.object({
  value: z.number().nullable(),
  type: z.string().nullable(),
  count: z.int(),
  start: z.string(),
  end: z.string(),
});

/**
 * How many events have a magnitude and a type, with their first and last time. `value` is the bin
 * ⌊m / binWidth + 0.5 + 10⁻¹²⌋, as `binOf` has it, or the magnitude itself where the bins have no width;
 * null for events without magnitude.
 */
export type MagnitudeCount = z.infer<typeof MagnitudeCount>;

/** @param binWidth in magnitude units; 0 for the magnitudes as they are */
export async function magnitudeCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  binWidth: number,
): Promise<readonly MagnitudeCount[]> {
  return aggregates(pool).any(sql.type(MagnitudeCount)`
    select ${magnitudeBin(binWidth)} as value, magnitude_type as type, count(*)::int as count, ${TIMES_OF_GROUP}
    from ${selectedEvents(selection)}
    group by 1, 2`);
}
