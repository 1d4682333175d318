/**
 * Notices of the log, the notifications made of them, and how these are delivered and listed.
 */

import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { keysWithValue } from "#contracts/cases.ts";
import { RELAYS } from "#contracts/events/log.ts";
import { NOTIFICATION_OF, Notice, type NotifiedEvent } from "#contracts/events/notices.ts";
import {
  NOTIFICATIONS_LIMIT,
  Notification,
  NotificationStatus,
  type NotificationsQuery,
} from "#contracts/http/following.ts";
import {
  type EventLog,
  type Position,
  type RecordedEvent,
  START,
  unverified,
} from "#infra/log/event-log.ts";
import { derivedUuid } from "../kernel/texts.ts";
import { isoTimes } from "../postgres/statements.ts";
import { type EventRelay, type RelayDeps, readRelayCheckpoint, relayEvents } from "./relay.ts";

export const NOTIFIED_TYPES = keysWithValue(NOTIFICATION_OF);

/**
 * Sends a notice for each event of the log that causes notifications, like `relayEvents`.
 * @param relay `send` passes a notice on; when it resolves, the notice is safe with the receiver
 */
export function relayNotices(
  deps: RelayDeps,
  {
    send,
    ...relay
  }: Pick<EventRelay, "name" | "onProgress"> & {
    readonly send: (notice: Notice) => Promise<void>;
  },
  signal: AbortSignal,
): Promise<void> {
  const events = { ...relay, types: NOTIFIED_TYPES, send: (e: RecordedEvent) => send(noticeOf(e)) };
  return relayEvents(deps, events, signal);
}

/** @param event of one of NOTIFIED_TYPES */
export function noticeOf({ id, type, stream, revision }: RecordedEvent): Notice {
  return { id, type: NOTIFICATION_OF[type as NotifiedEvent["type"]], stream, revision };
}

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
function stillHeld({ id, attempts }: Claim): FragmentSqlToken {
  return sql.fragment`id = ${id}::uuid and attempts = ${attempts} and status = 'pending'`;
}

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
  const ids = recipientUserIds.map((userId) => derivedUuid(`${claimed.noticeId}\n${userId}`));
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
  const conditions = [sql.fragment`true`];
  if (status !== undefined) conditions.push(sql.fragment`n.status = ${status}`);
  if (before !== undefined) {
    conditions.push(sql.fragment`(n.created_at, n.id) < (
            select created_at, id from notifications.notifications where id = ${before}::uuid)`);
  }
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

export async function notificationCounts(pool: CommonQueryMethods) {
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

export type WaitingNotices = {
  readonly count: number;
  /** False when counting the log took too long: there may be more. */
  readonly isAll: boolean;
};

/** Time limit of one call; a long log is counted over several. */
const PATIENCE_MS = 1_000;

/** Counts what has not reached the broker; until it advances, each call goes on from the last. */
export function createWaitingNotices({
  log,
  pool,
}: {
  readonly log: Pick<EventLog, "subscribe" | "head">;
  readonly pool: CommonQueryMethods;
}) {
  let published: Position = START;
  let reached: Position = START;
  let count = 0;
  let counting: Promise<WaitingNotices> | null = null;

  async function countOn(): Promise<WaitingNotices> {
    const { position } = await readRelayCheckpoint(pool, RELAYS.publisher);
    if (position !== published) {
      published = position;
      reached = position;
      count = 0;
    }
    const head = await log.head();
    if (reached < head) await countTo(head, AbortSignal.timeout(PATIENCE_MS));
    return { count, isAll: reached >= head };
  }

  async function countTo(head: Position, signal: AbortSignal): Promise<void> {
    const after = unverified(reached);
    for await (const batch of log.subscribe({ after, types: NOTIFIED_TYPES, signal })) {
      count += batch.events.length;
      reached = batch.position;
      if (reached >= head) return;
    }
  }

  return () => {
    counting ??= countOn().finally(() => {
      counting = null;
    });
    return counting;
  };
}
