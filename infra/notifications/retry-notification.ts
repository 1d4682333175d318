import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

/** Sets a parked notification to pending, due at once, with no attempts; false when it is not parked. */
export async function retryNotification(
  pool: CommonQueryMethods,
  id: string,
  at: Date,
): Promise<boolean> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const row = await pool.maybeOne(sql.type(z.object({ id: z.string() }))`
    update notifications.notifications
    set status = 'pending', attempts = 0, next_attempt_at = ${now}, updated_at = ${now}
    where id = ${id}::uuid and status = 'parked'
    returning id`);
  return row !== null;
}
