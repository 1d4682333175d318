import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, selectedEvents, TIMES_OF_GROUP } from "./selection.ts";

const IntervalRow = z.object({
  events: z.int(),
  n: z.int(),
  mean: z.number().nullable(),
  median: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  deviation: z.number().nullable(),
  zeros: z.int(),
  bins: z.array(z.tuple([z.int(), z.int()])),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * The `n` times between events, seconds: null where there are too few for it. `bins` are pairs of
 * ⌊log₁₀(seconds) / width⌋, as `logBinOf` has it, and how many there are.
 */
export type IntervalRow = z.infer<typeof IntervalRow>;

/** @param width of a bin, decades */
export async function intervalRow(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  width: number,
): Promise<IntervalRow> {
  return aggregates(pool).one(sql.type(IntervalRow)`
    with intervals as materialized (
      select time,
        extract(epoch from time - lag(time) over (order by time))::double precision as seconds
      from ${selectedEvents(selection)}
    ),
    bins as (
      select floor(log(seconds) / ${width}::double precision + 1e-9) as bin, count(*) as count
      from intervals
      where seconds > 0
      group by 1
    )
    select count(*)::int as events, count(seconds)::int as n, avg(seconds) as mean,
      percentile_cont(0.5) within group (order by seconds) as median,
      min(seconds) as min, max(seconds) as max, stddev_samp(seconds) as deviation,
      count(*) filter (where seconds = 0)::int as zeros,
      (select coalesce(json_agg(json_build_array(bin, count)), '[]') from bins) as bins,
      ${TIMES_OF_GROUP}
    from intervals`);
}
