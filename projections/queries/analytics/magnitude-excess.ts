import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, selectedEvents } from "./selection.ts";

const TypeExcess = z.object({
  all: z.boolean(),
  type: z.string().nullable(),
  n: z.int(),
  filled: z.int(),
  mean: z.number(),
  squares: z.number(),
});

/**
 * How far the magnitudes from Mc up are above it: of one magnitude type, or of all together. `filled`
 * are unlike magnitudes, `mean` is m̄ − Mc, `squares` Σ(m − m̄)².
 */
export type TypeExcess = z.infer<typeof TypeExcess>;

export async function magnitudeExcess(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  mc: number,
): Promise<readonly TypeExcess[]> {
  return aggregates(pool).any(sql.type(TypeExcess)`
    select grouping(magnitude_type) = 1 as all, magnitude_type as type, count(*)::int as n,
      count(distinct magnitude)::int as filled, avg(magnitude - ${mc}::double precision) as mean,
      regr_sxx(magnitude, magnitude) as squares
    from ${selectedEvents(selection)} and magnitude >= ${mc}::double precision
    group by grouping sets ((), (magnitude_type))
    having count(*) > 0`);
}
