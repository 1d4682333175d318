import { type CommonQueryMethods, sql } from "slonik";
import type { Notice } from "#contracts/notifications/notice.ts";

/** Stores a notice and a pending notification, due at once. Repetitions change nothing. */
export async function takeNotice(
  pool: CommonQueryMethods,
  { id, type, stream, revision }: Notice,
  at: Date,
): Promise<void> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    with taken as (
      insert into notifications.notices (id, type, stream, revision, taken_at)
      values (${id}::uuid, ${type}, ${stream}, ${revision}, ${now})
      on conflict do nothing
      returning id
    )
    insert into notifications.notifications
      (id, notice_id, status, next_attempt_at, created_at, updated_at)
    select id, id, 'pending', ${now}, ${now}, ${now} from taken`);
}
