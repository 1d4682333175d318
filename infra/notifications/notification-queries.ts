import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import {
  NOTIFICATIONS_LIMIT,
  Notification,
  NotificationStatus,
  type NotificationsQuery,
} from "#contracts/http/notifications.ts";
import { isoTimes } from "../postgres/iso-time.ts";

const COLUMNS = sql.fragment`
  n.id, notice.type, n.recipient_user_id, n.status, n.attempts, n.last_error,
  ${isoTimes("n.created_at", "n.updated_at")}`;

const NOTIFICATIONS = sql.fragment`
  notifications.notifications n join notifications.notices notice on notice.id = n.notice_id`;

/** Notifications, newest first; none after an unknown `before`. */
export function listNotifications(
  pool: CommonQueryMethods,
  { status, limit = NOTIFICATIONS_LIMIT.default, before }: NotificationsQuery,
): Promise<readonly Notification[]> {
  const conditions = [
    sql.fragment`true`,
    ...(status === undefined ? [] : [sql.fragment`n.status = ${status}`]),
    ...(before === undefined
      ? []
      : [
          sql.fragment`(n.created_at, n.id) < (
            select created_at, id from notifications.notifications where id = ${before}::uuid)`,
        ]),
  ];
  return pool.any(sql.type(Notification)`
    select ${COLUMNS} from ${NOTIFICATIONS}
    where ${sql.join(conditions, sql.fragment` and `)}
    order by n.created_at desc, n.id desc
    limit ${limit}`);
}

export function findNotification(
  pool: CommonQueryMethods,
  id: string,
): Promise<Notification | null> {
  return pool.maybeOne(sql.type(Notification)`
    select ${COLUMNS} from ${NOTIFICATIONS} where n.id = ${id}::uuid`);
}

const StatusCount = z.object({ status: NotificationStatus, count: z.int() });

export async function notificationCounts(
  pool: CommonQueryMethods,
): Promise<Readonly<Record<NotificationStatus, number>>> {
  const rows = await pool.any(sql.type(StatusCount)`
    select status, count(*) as count from notifications.notifications group by status`);
  const counts = { pending: 0, delivered: 0, parked: 0, dropped: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}

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
