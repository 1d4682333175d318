import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type AnalysisSelection, aggregates, magnitudeBin, selectedEvents } from "./selection.ts";

const ClassCount = z.object({ class: z.int(), step: z.int(), count: z.int() });

/** Events of a class of magnitudes in a step of time, of which 0 is the latest. */
export type ClassCount = z.infer<typeof ClassCount>;

export type ClassPlan = {
  /** Of the bins of magnitude, as `binOf` has them, of which `binsPerClass` are a class from 0 on. */
  readonly binWidth: number;
  readonly binsPerClass: number;
  /** ISO 8601; steps go back from it. */
  readonly end: string;
  readonly stepSeconds: number;
};

export async function classCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { binWidth, binsPerClass, end, stepSeconds }: ClassPlan,
): Promise<readonly ClassCount[]> {
  return aggregates(pool).any(sql.type(ClassCount)`
    select floor(${magnitudeBin(binWidth)} / ${binsPerClass}::double precision)::int as class,
      floor(extract(epoch from ${end}::timestamptz - time)::double precision
        / ${stepSeconds}::double precision)::int as step,
      count(*)::int as count
    from ${selectedEvents(selection)} and magnitude is not null
    group by 1, 2`);
}
