import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, selectedEvents } from "./selection.ts";

const Classes = z.object({ classes: z.instanceof(Buffer).nullable() });

/**
 * Magnitudes with their uncertainties, 0 for an unknown one, and the number of events that have both: three doubles
 * of 8 bytes each, the most significant first, in any order.
 */
export async function magnitudeErrors(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
): Promise<Buffer> {
  const { classes } = await aggregates(pool).one(sql.type(Classes)`
    select string_agg(
      float8send(magnitude) || float8send(sigma) || float8send(events), ''::bytea) as classes
    from (
      select magnitude, coalesce(magnitude_uncertainty, 0) as sigma,
        count(*)::double precision as events
      from ${selectedEvents(selection)} and magnitude is not null
      group by magnitude, sigma
    ) c`);
  return classes ?? Buffer.alloc(0);
}
