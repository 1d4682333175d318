/**
 * What waits to be sent, and how its delivery fares: notifications of notices of the log, and what alerts tell. One
 * file of more than 500 lines: all of it is one table.
 */

import { type CommonQueryMethods, type DatabasePool, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { keysWithValue } from "#contracts/cases.ts";
import { RELAYS } from "#contracts/events/log.ts";
import { NOTIFICATION_OF, Notice, type NotifiedEvent } from "#contracts/events/notices.ts";
import { AlertDelivery, MessageType } from "#contracts/http/alerts.ts";
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
import { isoTime, isoTimes } from "../postgres/statements.ts";
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
      where notice_id is not null and status = 'pending'
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

/** Records an attempt's outcome. @returns false when the claim has passed to another worker */
export async function settleNotification(
  pool: CommonQueryMethods,
  claim: Claim,
  settlement: Settlement,
  at: Date,
): Promise<boolean> {
  const nextAttemptAt = settlement.status === "pending" ? settlement.nextAttemptAt : at;
  const { rowCount } = await pool.query(sql.unsafe`
    update notifications.notifications
    set status = ${settlement.status}, last_error = ${lastErrorOf(settlement)},
      next_attempt_at = ${nextAttemptAt.toISOString()}::timestamptz,
      updated_at = ${at.toISOString()}::timestamptz
    where ${stillHeld(claim)}`);
  return rowCount > 0;
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
    select status, count(*) as count from notifications.notifications
    where notice_id is not null group by status`);
  const counts = { pending: 0, delivered: 0, parked: 0, dropped: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}

/**
 * Sets a parked notification to pending, due at once, with no attempts; false when it is not parked.
 * @param alertId of the alert that it tells for; null for others
 */
export async function retryNotification(
  pool: CommonQueryMethods,
  id: string,
  at: Date,
  alertId: string | null = null,
): Promise<boolean> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const row = await pool.maybeOne(sql.type(z.object({ id: z.string() }))`
    update notifications.notifications
    set status = 'pending', attempts = 0, next_attempt_at = ${now}, updated_at = ${now}
    where id = ${id}::uuid and status = 'parked' and alert_id is not distinct from ${alertId}::uuid
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

/*
 * What alerts tell waits in the same table. Of an event one message is due at most: a second one waits until that is
 * over, and is changed meanwhile.
 */

const ClaimedAlert = z.object({
  id: z.uuid(),
  alertId: z.uuid(),
  kind: MessageType,
  eventId: z.uuid().nullable(),
  catalogueId: z.uuid(),
  version: z.int(),
  attempts: z.int(),
  createdAt: z.string(),
  /** What whoever stored it gave. */
  content: z.unknown(),
});

/** As `ClaimedNotification`, of an alert. */
export type ClaimedAlert = z.infer<typeof ClaimedAlert>;

export type AlertClaim = {
  /** Those whose receivers have failed lately, or all others. */
  readonly isSlow: boolean;
  readonly limit: number;
  /** Alerts that are told nothing now. */
  readonly busy: readonly string[];
};

/** Of one alert that are claimed at once. */
const OF_ONE_ALERT = 4;
/** Messages that are looked at for each that is claimed. */
const LOOKED_AT = 16;

/** Claims messages of alerts that have been due longest, for `claimMs`. */
export function claimAlerts(
  pool: CommonQueryMethods,
  at: Date,
  claimMs: number,
  { isSlow, limit, busy }: AlertClaim,
): Promise<readonly ClaimedAlert[]> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const end = new Date(at.getTime() + claimMs).toISOString();
  return pool.any(sql.type(ClaimedAlert)`
    with first as (
      select id, alert_id, next_attempt_at from notifications.notifications
      where alert_id is not null and status = 'pending' and slow = ${isSlow}
        and next_attempt_at <= ${now} and alert_id <> all(${sql.array([...busy], "uuid")})
      order by next_attempt_at limit ${LOOKED_AT * limit}
    ), placed as (
      select id, next_attempt_at,
        row_number() over (partition by alert_id order by next_attempt_at) as place
      from first
    ), due as (
      select id from notifications.notifications
      where id in (select id from placed where place <= ${OF_ONE_ALERT}
          order by next_attempt_at limit ${limit})
        and status = 'pending' and next_attempt_at <= ${now}
      for update skip locked
    )
    update notifications.notifications n
    set attempts = n.attempts + 1, next_attempt_at = ${end}::timestamptz, updated_at = ${now}
    from due where n.id = due.id
    returning n.id, n.alert_id as "alertId", n.kind, n.event_id as "eventId",
      n.catalogue_id as "catalogueId", n.version, n.attempts, n.content,
      ${isoTime("n.created_at")} as "createdAt"`);
}

/**
 * Records an attempt's outcome, unless the claim has passed to another worker; what waits behind the message is due
 * once it is over.
 * @param response the status of the answer, or why there was none; null where nothing was sent
 * @returns whether the last `row` messages of the alert that are over are all parked
 */
export function settleAlert(
  pool: DatabasePool,
  claim: ClaimedAlert,
  { settlement, response }: { readonly settlement: Settlement; readonly response: string | null },
  at: Date,
  row: number,
): Promise<boolean> {
  const { id, alertId, eventId } = claim;
  const { status } = settlement;
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const isFailing = status === "pending" || status === "parked";
  return pool.transaction(async (transaction) => {
    if (!(await settleNotification(transaction, claim, settlement, at))) return false;
    await transaction.query(sql.unsafe`
      update notifications.notifications
      set response = coalesce(${response}, response), content = case when ${isFailing} then content end,
        delivered_at = case when ${status === "delivered"} then ${now} end
      where id = ${id}::uuid`);
    if (status !== "pending" && eventId !== null) {
      await transaction.query(sql.unsafe`
        update notifications.notifications set next_attempt_at = ${now}
        where alert_id = ${alertId}::uuid and event_id = ${eventId}::uuid and status = 'pending'
          and next_attempt_at = 'infinity'`);
    }
    // Those that are held meanwhile are told by the next outcome.
    await transaction.query(sql.unsafe`
      update notifications.notifications set slow = ${isFailing}
      where id in (
        select id from notifications.notifications
        where alert_id = ${alertId}::uuid and status = 'pending' and slow <> ${isFailing}
        for update skip locked)`);
    return transaction.exists(sql.unsafe`
      select from (
        select status from notifications.notifications
        where alert_id = ${alertId}::uuid and status in ('delivered', 'parked')
        order by created_at desc limit ${row}
      ) last having count(*) filter (where status = 'parked') = ${row}`);
  });
}

/** A message of an alert to be stored. `told`: what counts as told by it, null where that is that the event is no more. */
export type AlertMessageRow = Pick<
  ClaimedAlert,
  "id" | "alertId" | "kind" | "eventId" | "catalogueId" | "version" | "content"
> & {
  readonly told: unknown;
  /** When it is due; null once the one before it is over. */
  readonly dueAt: Date | null;
};

/** Stores messages, or changes those that wait still. */
export async function storeAlertMessages(
  pool: CommonQueryMethods,
  rows: readonly AlertMessageRow[],
  at: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    insert into notifications.notifications (id, alert_id, kind, event_id, catalogue_id, version,
      content, told, slow, status, next_attempt_at, created_at, updated_at)
    select r.id, r."alertId", r.kind, r."eventId", r."catalogueId", r.version, r.content, r.told,
      exists (select from notifications.notifications w
        where w.alert_id = r."alertId" and w.status = 'pending' and w.slow),
      'pending', coalesce(r."dueAt", 'infinity'), ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id uuid, "alertId" uuid, kind text,
      "eventId" uuid, "catalogueId" uuid, version integer, content json, told json,
      "dueAt" timestamptz)
    on conflict (id) do update set kind = excluded.kind, version = excluded.version,
      content = excluded.content, told = excluded.told`);
}

const Waiting = z.object({
  id: z.uuid(),
  alertId: z.uuid(),
  eventId: z.uuid().nullable(),
  told: z.unknown(),
  content: z.unknown(),
  /** Behind another. */
  waits: z.boolean(),
});
export type WaitingMessage = z.infer<typeof Waiting>;

/** An alert and an event. */
type AlertPair = { readonly alertId: string; readonly eventId: string };

/**
 * The messages of pairs that are not over, and the alerts' digests of a catalogue that nobody has tried to send; held
 * until the transaction ends, in the order in which outcomes hold them.
 */
export function holdWaiting(
  transaction: CommonQueryMethods,
  pairs: readonly AlertPair[],
  catalogueId: string,
): Promise<readonly WaitingMessage[]> {
  return transaction.any(sql.type(Waiting)`
    with pair as (
      select "alertId", "eventId" from json_to_recordset(${JSON.stringify(pairs)}::json)
        as r("alertId" uuid, "eventId" uuid)
    )
    select id, alert_id as "alertId", event_id as "eventId", told, content,
      next_attempt_at = 'infinity' as waits
    from notifications.notifications
    where status = 'pending' and alert_id in (select "alertId" from pair) and (
      (kind = 'digest' and attempts = 0 and catalogue_id = ${catalogueId}::uuid)
      or (alert_id, event_id) in (select * from pair))
    order by next_attempt_at = 'infinity', id for update`);
}

/** Removes messages that nobody has tried to send. */
export async function forgetAlertMessages(pool: CommonQueryMethods, ids: readonly string[]) {
  await pool.query(sql.unsafe`
    delete from notifications.notifications where id = any(${sql.array([...ids], "uuid")})`);
}

/** What was told of an event last by an alert; null where that is that it is no more, or is not kept any longer. */
export type ToldRow = AlertPair & { readonly told: unknown };
const Told = z.object({ alertId: z.uuid(), eventId: z.uuid(), told: z.unknown() });

/** What is kept of some events. */
export function readTold(pool: CommonQueryMethods, eventIds: readonly string[]) {
  return pool.any(sql.type(Told)`
    select alert_id as "alertId", event_id as "eventId", told from notifications.alert_told
    where event_id = any(${sql.array([...eventIds], "uuid")})`);
}

/** Keeps what was told, or forgets it. */
export async function storeTold(pool: CommonQueryMethods, rows: readonly ToldRow[]): Promise<void> {
  const given = sql.fragment`json_to_recordset(${JSON.stringify(rows)}::json)
    as r("alertId" uuid, "eventId" uuid, told json)`;
  await pool.query(sql.unsafe`
    with forgotten as (
      delete from notifications.alert_told t using ${given}
      where t.event_id = r."eventId" and t.alert_id = r."alertId" and r.told is null
    )
    insert into notifications.alert_told as t (alert_id, event_id, told)
    select r."alertId", r."eventId", r.told from ${given} where r.told is not null
    on conflict (event_id, alert_id) do update set told = excluded.told`);
}

const Counted = z.object({ alertId: z.uuid(), count: z.int() });

/** How many messages of events alerts have made since a time. */
export async function toldSince(
  pool: CommonQueryMethods,
  alertIds: readonly string[],
  since: Date,
) {
  const rows = await pool.any(sql.type(Counted)`
    select alert_id as "alertId", count(*) as count from notifications.notifications
    where alert_id = any(${sql.array([...alertIds], "uuid")}) and event_id is not null
      and created_at >= ${since.toISOString()}::timestamptz
    group by alert_id`);
  return new Map(rows.map(({ alertId, count }) => [alertId, count]));
}

const DeliveryRow = AlertDelivery.extend({ response: z.string().nullable() });

/** Deliveries of an alert that satisfy a condition on the row `n`, newest first. */
export async function listDeliveries(
  pool: CommonQueryMethods,
  alertId: string,
  condition: FragmentSqlToken,
  limit: number,
): Promise<AlertDelivery[]> {
  const rows = await pool.any(sql.type(DeliveryRow)`
    select n.id, n.kind as type, n.event_id, n.catalogue_id, n.version, n.status, n.attempts,
      n.response, ${isoTimes("n.created_at", "n.delivered_at")}
    from notifications.notifications n
    where n.alert_id = ${alertId}::uuid and ${condition}
    order by n.created_at desc, n.id desc limit ${limit}`);
  return rows.map(({ response, ...row }) => {
    return { ...row, response: /^\d{3}$/.test(response ?? "") ? Number(response) : response };
  });
}

const EarlierMessage = z.object({ id: z.uuid(), createdAt: z.string() });

/** What was told of an event before a message, oldest first. */
export function earlierMessages(pool: CommonQueryMethods, claimed: ClaimedAlert) {
  const { id, alertId, eventId, createdAt } = claimed;
  return pool.any(sql.type(EarlierMessage)`
    select id, ${isoTime("created_at")} as "createdAt" from notifications.notifications
    where alert_id = ${alertId}::uuid and event_id = ${eventId}::uuid and status <> 'dropped'
      and id <> ${id}::uuid and created_at <= ${createdAt}::timestamptz
    order by created_at, id`);
}

/** Rows removed at once. */
const SWEPT = 5_000;

/** Removes what is over for `days` days, and what is kept for alerts that are no more. */
export async function sweepAlerts(pool: CommonQueryMethods, days: number, at: Date): Promise<void> {
  await pool.query(sql.unsafe`
    delete from notifications.notifications where id in (
      select id from notifications.notifications
      where alert_id is not null and status <> 'pending'
        and created_at < ${at.toISOString()}::timestamptz - ${days} * interval '1 day'
      limit ${SWEPT})`);
  await pool.query(sql.unsafe`
    delete from notifications.alert_told where (event_id, alert_id) in (
      select event_id, alert_id from notifications.alert_told t
      where not exists (select from read_model.alerts a where a.id = t.alert_id) limit ${SWEPT})`);
}

const AlertCount = StatusCount.extend({ oldestSeconds: z.number() });

/** Messages of alerts by status, and how old the oldest of each is; without digests whose hour goes on. */
export function alertCounts(pool: CommonQueryMethods, at: Date) {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  return pool.any(sql.type(AlertCount)`
    select status, count(*) as count,
      extract(epoch from ${now} - min(created_at))::float8 as "oldestSeconds"
    from notifications.notifications
    where alert_id is not null and not (kind = 'digest' and next_attempt_at > ${now})
    group by status`);
}
