import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import type { CalendarUnit } from "#contracts/query/calendar-units.ts";
import { type AnalysisSelection, aggregates, selectedEvents, TIMES_OF_GROUP } from "./selection.ts";

const UnitMoment = z.object({
  unit: z.number(),
  type: z.string().nullable(),
  count: z.int(),
  withMagnitude: z.int(),
  moment: z.number().nullable(),
  largest: z.number().nullable(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of one magnitude type in a unit of the calendar, which begins at `unit`, milliseconds since
 * 1970: their moment in N·m and their largest magnitude, null where none has a magnitude.
 */
export type UnitMoment = z.infer<typeof UnitMoment>;

/** Every magnitude is taken as Mw: M0 = 10^(1.5 Mw + 9.1), as `momentOf` has it. */
export async function momentsByUnit(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  unit: CalendarUnit,
): Promise<readonly UnitMoment[]> {
  return aggregates(pool).any(sql.type(UnitMoment)`
    select extract(epoch from unit)::double precision * 1000 as unit, type, count,
      "withMagnitude", moment, largest, start, "end"
    from (
      select date_trunc(${unit}, time at time zone 'UTC') as unit, magnitude_type as type,
        count(*)::int as count, count(magnitude)::int as "withMagnitude",
        sum(power(10::double precision, 1.5 * magnitude + 9.1)) as moment,
        max(magnitude) as largest, ${TIMES_OF_GROUP}
      from ${selectedEvents(selection)}
      group by 1, 2
    ) as moments`);
}
