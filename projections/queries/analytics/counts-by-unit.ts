import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import type { CalendarUnit } from "#contracts/query/calendar-units.ts";
import { type AnalysisSelection, aggregates, selectedEvents, TIMES_OF_GROUP } from "./selection.ts";

const UnitCount = z.object({
  unit: z.number(),
  count: z.int(),
  start: z.string(),
  end: z.string(),
});

/** How many events a unit has; `unit` is its beginning in UTC, milliseconds since 1970. */
export type UnitCount = z.infer<typeof UnitCount>;

/** The units of the calendar that have an event. */
export async function countsByUnit(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  unit: CalendarUnit,
): Promise<readonly UnitCount[]> {
  return aggregates(pool).any(sql.type(UnitCount)`
    select extract(epoch from unit)::double precision * 1000 as unit, count, start, "end"
    from (
      select date_trunc(${unit}, time at time zone 'UTC') as unit, count(*)::int as count,
        ${TIMES_OF_GROUP}
      from ${selectedEvents(selection)}
      group by 1
    ) as counts`);
}
