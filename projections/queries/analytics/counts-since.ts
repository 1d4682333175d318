import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, magnitudeBin, selectedEvents } from "./selection.ts";

const BinCount = z.object({ bin: z.number(), count: z.int() });

/** Magnitudes from a bin up, and the year from which on they count. */
export type BinSince = { readonly bin: number; readonly since: number };

/** Events by bin, each bin from the year of the last class that it is not below. */
export async function countsSince(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { binWidth, classes }: { readonly binWidth: number; readonly classes: readonly BinSince[] },
): Promise<ReadonlyMap<number, number>> {
  const bins = sql.array(
    classes.map(({ bin }) => bin),
    "float8",
  );
  const years = sql.array(
    classes.map(({ since }) => since),
    "int4",
  );
  const rows = await aggregates(pool).any(sql.type(BinCount)`
    select bin, count(*)::int as count
    from (
      select ${magnitudeBin(binWidth)} as bin, extract(year from time at time zone 'UTC') as year
      from ${selectedEvents(selection)}
    ) as bins
    where year >= (${years})[width_bucket(bin, ${bins})]
    group by bin`);
  return new Map(rows.map(({ bin, count }) => [bin, count]));
}
