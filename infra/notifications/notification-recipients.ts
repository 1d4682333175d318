import { type CommonQueryMethods, sql } from "slonik";
import { derivedUuid } from "../event-log/derived-uuid.ts";
import { type ClaimedNotification, stillHeld } from "./claimed-notifications.ts";

/** Sets the recipient of a notification to one person. */
export async function addressNotification(
  pool: CommonQueryMethods,
  claimed: ClaimedNotification,
  recipientUserId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    update notifications.notifications set recipient_user_id = ${recipientUserId}
    where ${stillHeld(claimed)}`);
}

/** Replaces a notification by one per recipient, due at once; a repetition makes no duplicates. */
export async function splitNotification(
  pool: CommonQueryMethods,
  claimed: ClaimedNotification,
  recipientUserIds: readonly string[],
  at: Date,
): Promise<void> {
  const ids = recipientUserIds.map((userId) => notificationId(claimed.noticeId, userId));
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    with replaced as (
      delete from notifications.notifications where ${stillHeld(claimed)}
      returning notice_id, created_at
    )
    insert into notifications.notifications
      (id, notice_id, recipient_user_id, status, next_attempt_at, created_at, updated_at)
    select one.id, r.notice_id, one.user_id, 'pending', ${now}, r.created_at, ${now}
    from replaced r,
      unnest(${sql.array(ids, "uuid")}, ${sql.array([...recipientUserIds], "text")})
        as one(id, user_id)
    on conflict do nothing`);
}

function notificationId(noticeId: string, recipientUserId: string): string {
  return derivedUuid(`${noticeId}\n${recipientUserId}`);
}
