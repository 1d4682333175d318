import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { isoTime } from "#infra/postgres/iso-time.ts";
import { type AnalysisSelection, aggregates, asTimes, selectedEvents } from "./selection.ts";

const SampledEvents = z.object({
  n: z.int(),
  start: z.string().nullable(),
  end: z.string().nullable(),
  events: z.array(
    z.object({ time: z.string(), magnitude: z.number(), depth: z.number().nullable() }),
  ),
});

/** Some of the `n` events that have a magnitude, in order of time; depths in km. */
export type SampledEvents = z.infer<typeof SampledEvents>;

/** All events where they are not more than asked for; else the largest tenth of that, the rest evenly in time. */
export async function sampledEvents(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  most: number,
): Promise<SampledEvents> {
  const largest = Math.floor(most / 10);
  const others = most - largest;
  return aggregates(pool).one(sql.type(SampledEvents)`
    with known as materialized (
      select event_id, time, magnitude, depth
      from ${selectedEvents(selection)} and magnitude is not null
    ),
    total as (
      select count(*) as n, min(time) as first, max(time) as last from known
    ),
    large as materialized (
      select event_id from known order by magnitude desc, time, event_id limit ${largest}
    ),
    ranked as (
      select time, magnitude, depth, row_number() over (order by time, event_id) - 1 as rank
      from known
      where event_id not in (select event_id from large)
    ),
    sampled as (
      select time, magnitude, depth from known where event_id in (select event_id from large)
      union all
      select time, magnitude, depth from ranked, total
      where n <= ${most}
        or rank * ${others} / (n - ${largest}) > (rank - 1) * ${others} / (n - ${largest})
        or rank = 0
    )
    select n::int as n, ${asTimes(sql.fragment`first`, sql.fragment`last`)},
      (
        select coalesce(json_agg(json_build_object('time', ${isoTime("time")},
          'magnitude', magnitude, 'depth', depth) order by time), '[]')
        from sampled
      ) as events
    from total`);
}
