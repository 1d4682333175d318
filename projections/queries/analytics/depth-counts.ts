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

const DepthCount = z.object({
  bin: z.number().nullable(),
  depth: z.number().nullable(),
  count: z.int(),
  assigned: z.int(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of a bin ⌊depth / width⌋, as `depthBinOf` has it, null without depth; those of a frequent
 * depth by themselves, with that as `depth`.
 */
export type DepthCount = z.infer<typeof DepthCount>;

/**
 * @param width of a bin, km
 * @param frequentShare the part of the events with a depth above which a depth is frequent
 */
export async function depthCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { width, frequentShare }: { readonly width: number; readonly frequentShare: number },
): Promise<readonly DepthCount[]> {
  return aggregates(pool).any(sql.type(DepthCount)`
    with depths as materialized (
      select depth, count(*) as count, min(time) as first, max(time) as last,
        count(*) filter (where depth_type = 'operator assigned') as assigned
      from ${selectedEvents(selection)}
      group by 1
    ),
    total as (
      select sum(count) as count from depths where depth is not null
    )
    select floor(${inWidths(sql.fragment`depths.depth`, width)} + 1e-9) as bin,
      case when depths.count > ${frequentShare}::double precision * total.count
        then depths.depth end as depth,
      sum(depths.count)::int as count, sum(assigned)::int as assigned,
      ${asTimes(sql.fragment`min(first)`, sql.fragment`max(last)`)}
    from depths, total
    group by 1, 2`);
}
