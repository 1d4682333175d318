import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Notice } from "#contracts/notifications/notice.ts";

const Claimed = z.object({
  id: z.uuid(),
  recipientUserId: z.string().nullable(),
  attempts: z.int(),
  noticeId: z.uuid(),
  type: Notice.shape.type,
  stream: Notice.shape.stream,
  revision: Notice.shape.revision,
});

/**
 * A notification that only this worker may deliver until its claim ends. `attempts` includes the
 * claimed attempt; by it a worker whose claim has ended can no longer settle the notification.
 */
export type ClaimedNotification = z.infer<typeof Claimed>;

/**
 * Claims the notification that has been due longest, for `claimMs`; null when none is due.
 *
 * A wait starts at `updated_at`. If that lies in the future by more than `claimMs`, the clock was
 * set back and the wait is ended, since it would be too long. Smaller differences are normal between
 * the clocks of two processes, and ending waits for them would end claims at once.
 *
 * No transaction stays open while the webhook is called: one that has written or locked a row would
 * block every reader of the event log (infra/decisions/0001).
 */
export function claimNotification(
  pool: CommonQueryMethods,
  at: Date,
  claimMs: number,
): Promise<ClaimedNotification | null> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const end = new Date(at.getTime() + claimMs).toISOString();
  return pool.maybeOne(sql.type(Claimed)`
    with due as (
      select id from notifications.notifications
      where status = 'pending'
        and (next_attempt_at <= ${now} or updated_at > ${end}::timestamptz)
      order by next_attempt_at
      limit 1
      for update skip locked
    )
    update notifications.notifications n
    set attempts = n.attempts + 1, next_attempt_at = ${end}::timestamptz, updated_at = ${now}
    from due, notifications.notices notice
    where n.id = due.id and notice.id = n.notice_id
    returning n.id, n.recipient_user_id as "recipientUserId", n.attempts,
      notice.id as "noticeId", notice.type, notice.stream, notice.revision`);
}

type Claim = Pick<ClaimedNotification, "id" | "attempts">;

/** The outcome of an attempt. `error` and `reason` are sentences without personal data or secrets. */
export type Settlement =
  | { readonly status: "delivered" }
  | { readonly status: "dropped"; readonly reason: string }
  | { readonly status: "parked"; readonly error: string }
  | { readonly status: "pending"; readonly error: string; readonly nextAttemptAt: Date };

/** Records an attempt's outcome, unless the claim has passed to another worker. */
export async function settleNotification(
  pool: CommonQueryMethods,
  claim: Claim,
  settlement: Settlement,
  at: Date,
): Promise<void> {
  const nextAttemptAt = settlement.status === "pending" ? settlement.nextAttemptAt : at;
  await pool.query(sql.unsafe`
    update notifications.notifications
    set status = ${settlement.status}, last_error = ${lastErrorOf(settlement)},
      next_attempt_at = ${nextAttemptAt.toISOString()}::timestamptz,
      updated_at = ${at.toISOString()}::timestamptz
    where ${stillHeld(claim)}`);
}

function lastErrorOf(settlement: Settlement): string | null {
  switch (settlement.status) {
    case "delivered":
      return null;
    case "dropped":
      return settlement.reason;
    case "parked":
    case "pending":
      return settlement.error;
  }
}

/** True while the claim is of the latest attempt and not yet settled. */
export function stillHeld({ id, attempts }: Claim): FragmentSqlToken {
  return sql.fragment`id = ${id}::uuid and attempts = ${attempts} and status = 'pending'`;
}
