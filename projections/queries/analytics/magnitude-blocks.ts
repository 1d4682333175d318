import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import {
  type AnalysisSelection,
  aggregates,
  magnitudeBin,
  selectedEvents,
  TIMES_OF_GROUP,
} from "./selection.ts";

const BlockCount = z.object({
  block: z.number(),
  bin: z.number(),
  count: z.int(),
  start: z.string(),
  end: z.string(),
});

/** The events of one bin in one block of time, with their first and last time. */
export type BlockCount = z.infer<typeof BlockCount>;

/** Blocks of so many months from January of a year on, or of so many events in order of time. */
export type Blocks =
  | { readonly months: number; readonly sinceYear: number }
  | { readonly events: number };

/** Events with a magnitude by block, numbered from 0, and bin. */
export async function magnitudeBlocks(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { binWidth, blocks }: { readonly binWidth: number; readonly blocks: Blocks },
): Promise<readonly BlockCount[]> {
  return aggregates(pool).any(sql.type(BlockCount)`
    select block, bin, count(*)::int as count, ${TIMES_OF_GROUP}
    from (
      select ${blockOf(blocks)} as block, ${magnitudeBin(binWidth)} as bin, time
      from ${selectedEvents(selection)} and magnitude is not null
    ) as bins
    group by 1, 2
    order by 1, 2`);
}

function blockOf(blocks: Blocks): FragmentSqlToken {
  if ("events" in blocks) {
    return sql.fragment`
      ((row_number() over (order by time, event_id) - 1) / ${blocks.events}::int)::double precision`;
  }
  const months = sql.fragment`
    (extract(year from time at time zone 'UTC') - ${blocks.sinceYear}::int) * 12
      + extract(month from time at time zone 'UTC') - 1`;
  return sql.fragment`floor((${months}) / ${blocks.months}::int)::double precision`;
}
