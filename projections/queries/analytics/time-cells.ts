import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, magnitudeBin, selectedEvents } from "./selection.ts";

/** Stretches of time from the first event to the last. */
const COLUMNS = 240;
/** Of magnitudes, in magnitude units. */
const BIN_WIDTH = 0.1;
/** Between the shallowest event and the deepest. */
const DEPTH_ROWS = 60;

const TimeCell = z.object({
  of: z.enum(["magnitude", "depth"]),
  start: z.string(),
  end: z.string(),
  low: z.number().describe("magnitude, or km"),
  high: z.number(),
  count: z.int(),
});

/** How many events there are in a stretch of time and a range of magnitudes or depths. */
export type TimeCell = z.infer<typeof TimeCell>;

/** The events that have a magnitude, counted by time and magnitude, and by time and depth; cells without events are left out. */
export async function timeCells(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
): Promise<readonly TimeCell[]> {
  const iso = (column: string) => sql.fragment`
    to_char((first + make_interval(secs => step * ${sql.identifier([column])})) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  return aggregates(pool).any(sql.type(TimeCell)`
    with known as materialized (
      select time, magnitude, depth
      from ${selectedEvents(selection)} and magnitude is not null
    ),
    spans as (
      select min(time) as first,
        greatest(extract(epoch from max(time) - min(time)), 1)::double precision / ${COLUMNS} as step,
        min(depth) as shallowest,
        greatest(max(depth) - min(depth), 1) / ${DEPTH_ROWS} as height
      from known
    ),
    placed as (
      select least(floor(extract(epoch from time - first) / step), ${COLUMNS - 1})::int as at,
        ${magnitudeBin(BIN_WIDTH)}::int as bin,
        least(floor((depth - shallowest) / height), ${DEPTH_ROWS - 1})::int as layer
      from known, spans
    ),
    counted as (
      select 'magnitude' as of, at, at + 1 as next, bin as row, count(*)::int as count
      from placed group by at, bin
      union all
      select 'depth', at, at + 1, layer, count(*)::int
      from placed where layer is not null group by at, layer
    )
    select of, ${iso("at")} as start, ${iso("next")} as "end", count,
      case of when 'magnitude' then (row - 0.5) * ${BIN_WIDTH}::double precision
        else shallowest + row * height end as low,
      case of when 'magnitude' then (row + 0.5) * ${BIN_WIDTH}::double precision
        else shallowest + (row + 1) * height end as high
    from counted, spans`);
}
