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
  count: z.int(),
  assigned: z.int(),
  crowded: z.array(z.int()).nullable(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of a bin ⌊depth / width⌋, as `depthBinOf` has it, null without depth. `crowded` are its parts
 * that may hold a frequent depth; `start` and `end` are the times of all events.
 */
export type DepthCount = z.infer<typeof DepthCount>;

export type DepthPlan = {
  /** Of a bin, km. */
  readonly width: number;
  /** The part of the events with a depth above which a depth is frequent. */
  readonly frequentShare: number;
};

/** So many parts of a bin, by a hash, that hardly one is crowded without a frequent depth. */
const PARTS = 64;
const PART = sql.fragment`hashfloat8(depth) & ${PARTS - 1}::int`;

export async function depthCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { width, frequentShare }: DepthPlan,
): Promise<readonly DepthCount[]> {
  const rows = selectedEvents(selection);
  // Times of all events, which an index has: in each group they would make it too wide for memory.
  return aggregates(pool).any(sql.type(DepthCount)`
    with parts as materialized (
      select floor(${inWidths(sql.fragment`depth`, width)} + 1e-9) as bin, ${PART} as part,
        count(*) as count,
        count(*) filter (where depth_type = 'operator assigned') as assigned
      from ${rows}
      group by 1, 2
    ),
    total as (
      select sum(count) as count from parts where bin is not null
    )
    select bin, sum(parts.count)::int as count, sum(assigned)::int as assigned,
      json_agg(part) filter (
        where bin is not null and parts.count > ${frequentShare}::double precision * total.count
      ) as crowded,
      ${asTimes(sql.fragment`(select min(time) from ${rows})`, sql.fragment`(select max(time) from ${rows})`)}
    from parts, total
    group by 1`);
}

const FrequentDepth = z.object({ depth: z.number(), count: z.int(), assigned: z.int() });

/** Depths that more than a part of the events have. */
export type FrequentDepth = z.infer<typeof FrequentDepth>;

/** @param counts of the same events: only what is crowded is read again */
export async function frequentDepths(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { frequentShare, counts }: DepthPlan & { readonly counts: readonly DepthCount[] },
): Promise<readonly FrequentDepth[]> {
  const parts = new Set(counts.flatMap(({ crowded }) => crowded ?? []));
  if (parts.size === 0) return [];
  const n = counts.reduce((sum, { bin, count }) => (bin === null ? sum : sum + count), 0);
  return aggregates(pool).any(sql.type(FrequentDepth)`
    select depth, count(*)::int as count,
      count(*) filter (where depth_type = 'operator assigned')::int as assigned
    from ${selectedEvents(selection)}
      and depth is not null and (${PART}) = any(${sql.array([...parts], "int4")})
    group by 1
    having count(*) > ${frequentShare}::double precision * ${n}`);
}
