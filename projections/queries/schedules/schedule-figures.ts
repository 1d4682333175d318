import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { NEXT_RUN } from "./next-run.ts";

const Figures = z.object({
  /** Schedules that are due and wait. */
  due: z.int(),
  /** Those of them that have waited for more than five minutes. */
  late: z.int(),
  /** Seconds; null where all are paused. */
  age: z.number().nullable(),
});
export type ScheduleFigures = z.infer<typeof Figures>;

/** How schedules fare; the age is that of what the one knows whose window was read whole the longest time ago. */
export function scheduleFigures(pool: CommonQueryMethods, now: Date): Promise<ScheduleFigures> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const waits = sql.fragment`t.worker is null and ${NEXT_RUN}`;
  return pool.one(sql.type(Figures)`
    select count(*) filter (where ${waits} <= ${at}) as due,
      count(*) filter (where ${waits} <= ${at} - interval '5 minutes') as late,
      max(extract(epoch from ${at} - coalesce(t.last_whole, s.created_at)))
        filter (where not s.paused)::float8 as age
    from read_model.schedules s left join operations.schedule_states t on t.schedule_id = s.id`);
}
