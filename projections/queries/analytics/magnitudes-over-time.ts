import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { isoTime } from "#infra/postgres/iso-time.ts";
import {
  type AnalysisSelection,
  aggregates,
  asTimes,
  magnitudeBin,
  selectedEvents,
} from "./selection.ts";

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

const MagnitudesOverTime = z.object({
  n: z.int().describe("events that have a magnitude"),
  start: z.string().nullable(),
  end: z.string().nullable(),
  events: z.array(
    z.object({ time: z.string(), magnitude: z.number(), depth: z.number().nullable() }),
  ),
  bins: z.array(TimeCell).nullable(),
});

type Shown = {
  /** Up to so many events are all given. */
  readonly most: number;
  /** Of more, so many of the largest. */
  readonly largest: number;
};

/**
 * The events that have a magnitude, in order of time, depths in km. Of more than `most`, the largest alone
 * are given, and all are counted by time and magnitude, and by time and depth; cells without events are
 * left out.
 */
export async function magnitudesOverTime(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { most, largest }: Shown,
): Promise<z.infer<typeof MagnitudesOverTime>> {
  return aggregates(pool).one(sql.type(MagnitudesOverTime)`
    with known as materialized (
      select event_id, time, magnitude, depth
      from ${selectedEvents(selection)} and magnitude is not null
    ),
    spans as materialized (
      select count(*)::int as n, min(time) as first, max(time) as last,
        greatest(extract(epoch from max(time) - min(time)), 1)::double precision / ${COLUMNS} as step,
        min(depth) as shallowest,
        greatest(max(depth) - min(depth), 1) / ${DEPTH_ROWS} as height
      from known
    ),
    shown as (
      select time, magnitude, depth from known, spans where n <= ${most}
      union all (
        select time, magnitude, depth from known, spans where n > ${most}
        order by magnitude desc, time, event_id limit ${largest}
      )
    ),
    placed as (
      select least(floor(extract(epoch from time - first) / step), ${COLUMNS - 1})::int as at,
        ${magnitudeBin(BIN_WIDTH)}::int as bin,
        least(floor((depth - shallowest) / height), ${DEPTH_ROWS - 1})::int as layer
      from known, spans where n > ${most}
    ),
    counted as (
      select 'magnitude' as of, at, (bin - 0.5) * ${BIN_WIDTH}::double precision as low,
        (bin + 0.5) * ${BIN_WIDTH}::double precision as high, count(*)::int as count
      from placed group by at, bin
      union all
      select 'depth', at, shallowest + layer * height, shallowest + (layer + 1) * height, count(*)::int
      from placed, spans where layer is not null group by at, layer, shallowest, height
    ),
    cells as (
      select json_agg(json_build_object('of', of, 'start', ${timeAt(sql.fragment`at`)},
        'end', ${timeAt(sql.fragment`at + 1`)}, 'low', low, 'high', high, 'count', count)) as bins
      from counted, spans
    )
    select n, ${asTimes(sql.fragment`first`, sql.fragment`last`)}, bins,
      (
        select coalesce(json_agg(json_build_object('time', ${isoTime("time")},
          'magnitude', magnitude, 'depth', depth) order by time), '[]')
        from shown
      ) as events
    from spans, cells`);
}

/** Where a stretch of time begins. */
function timeAt(column: ReturnType<typeof sql.fragment>) {
  return sql.fragment`
    to_char((first + make_interval(secs => step * (${column}))) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
