import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import {
  type AnalysisSelection,
  aggregates,
  asTimes,
  inWidths,
  selectedEvents,
} from "./selection.ts";

const CellCounts = z.object({
  events: z.int(),
  cells: z.int(),
  latitudes: z.array(z.int()),
  longitudes: z.array(z.int()),
  counts: z.array(z.int()),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * Cells with events from south to north, then from west to east: `latitudes` and `longitudes` are
 * ⌊degrees / size⌋, as `cellOf` and `cellOfLongitude` have it. The lists are empty where there are
 * more cells than asked for.
 */
export type CellCounts = z.infer<typeof CellCounts>;

/** @param size of a cell, degrees; 180° is the meridian of −180° */
export async function cellCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { size, limit }: { readonly size: number; readonly limit: number },
): Promise<CellCounts> {
  const wrapped = sql.fragment`case when longitude >= ${180 - 1e-9 * size}::float8
    then longitude - 360 else longitude end`;
  return aggregates(pool).one(sql.type(CellCounts)`
    with cells as materialized (
      select floor(${inWidths(sql.fragment`latitude`, size)} + 1e-9) as latitude,
        floor(${inWidths(wrapped, size)} + 1e-9) as longitude,
        count(*) as count, min(time) as first, max(time) as last
      from ${selectedEvents(selection)}
      group by 1, 2
    ),
    listed as (
      select * from cells where (select count(*) from cells) <= ${limit} order by 1, 2
    )
    select coalesce(sum(count), 0)::int as events, count(*)::int as cells,
      (select coalesce(json_agg(latitude), '[]') from listed) as latitudes,
      (select coalesce(json_agg(longitude), '[]') from listed) as longitudes,
      (select coalesce(json_agg(count), '[]') from listed) as counts,
      ${asTimes(sql.fragment`min(first)`, sql.fragment`max(last)`)}
    from cells`);
}
