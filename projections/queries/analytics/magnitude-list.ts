import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, selectedEvents } from "./selection.ts";

const Magnitudes = z.object({ magnitudes: z.instanceof(Buffer).nullable() });

/** All magnitudes as doubles of 8 bytes, the most significant first, in any order. */
export async function magnitudeList(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
): Promise<Buffer> {
  const { magnitudes } = await aggregates(pool).one(sql.type(Magnitudes)`
    select string_agg(float8send(magnitude), ''::bytea) as magnitudes
    from ${selectedEvents(selection)} and magnitude is not null`);
  return magnitudes ?? Buffer.alloc(0);
}
