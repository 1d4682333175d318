import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, magnitudeBin, selectedEvents } from "./selection.ts";

const Rise = z.object({ rise: z.number(), count: z.int() });

/**
 * How often the magnitude rises by so many bins from one event to the next in time, among those from a
 * bin up, as `risesOf` has it.
 */
export async function magnitudeRises(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  {
    binWidth,
    from,
    least,
  }: { readonly binWidth: number; readonly from: number; readonly least: number },
): Promise<ReadonlyMap<number, number>> {
  const rows = await aggregates(pool).any(sql.type(Rise)`
    select rise, count(*)::int as count
    from (
      select bin - lag(bin) over (order by time, source_id, event_id) as rise
      from (
        select ${magnitudeBin(binWidth)} as bin, time, source_id, event_id
        from ${selectedEvents(selection)}
      ) as bins
      where bin >= ${from}::double precision
    ) as rises
    where rise >= ${least}::double precision
    group by rise`);
  return new Map(rows.map(({ rise, count }) => [rise, count]));
}
