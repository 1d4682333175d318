/**
 * From a notification that is due to its settlement: claimed, addressed to its recipients,
 * written and sent, tried again or parked.
 */

import type { Logger } from "pino";
import type { CommonQueryMethods, DatabasePool } from "slonik";
import { unknownCase } from "#contracts/cases.ts";
import type { UserEvent, UserEventData } from "#contracts/events/accounts.ts";
import { PROJECTIONS } from "#contracts/events/log.ts";
import type { NotifiedEvent } from "#contracts/events/notices.ts";
import type { UserDetails } from "#contracts/http/accounts.ts";
import {
  addressNotification,
  type ClaimedNotification,
  claimNotification,
  type Settlement,
  settleNotification,
  splitNotification,
} from "#infra/brokers/notifications.ts";
import { type Webhook, WebhookFailure } from "#infra/brokers/webhook.ts";
import { backoffMs, sleep } from "#infra/kernel/waiting.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, type Position, Unavailable } from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import {
  INVITATION_MS,
  issueResetToken,
  RESET_MS,
  readPersonalKey,
} from "#infra/vault/credentials.ts";
import { decryptPersonal } from "#infra/vault/personal-data.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import { findUser, listActiveAdministratorIds } from "#projections/read/accounts.ts";
import { confirmationToken } from "#services/alerts/rules.ts";
import {
  accountActivatedMail,
  alertConfirmationMail,
  approvalRequestedMail,
  invitationMail,
  type Mail,
  passwordResetMail,
  roleRequestReviewedMail,
  roleRequestSubmittedMail,
} from "./mail-texts.ts";

/** Failures after which a notification is parked. */
export const MAX_ATTEMPTS = 8;
const SECOND = 1_000;
/** Back-off from half a minute up to an hour: eight attempts take half an hour to an hour. */
const RETRY = { firstMs: 30 * SECOND, maxMs: 3_600 * SECOND };
/** Well above all time-outs within an attempt. */
const CLAIM_MS = 60 * SECOND;
/** Concurrent deliveries, in case of a slow webhook. */
const PARALLEL = 4;
const SETTLE_TRIES = 5;

/** Delivers everything due, until nothing is left or `signal` aborts; started deliveries are finished. */
export async function deliverDue(deps: AttemptDeps, signal: AbortSignal): Promise<void> {
  if (signal.aborted || !(await deliverNext(deps))) return;
  const workers = Array.from({ length: PARALLEL }, async () => {
    while (!signal.aborted && (await deliverNext(deps)));
  });
  // When a worker fails, the others finish their deliveries.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Delivers the next notification; false without one. */
async function deliverNext(deps: AttemptDeps): Promise<boolean> {
  const claimed = await claimNotification(deps.pool, deps.now(), CLAIM_MS);
  if (claimed === null) return false;
  const settlement = await settlementOf(deps, claimed);
  if (settlement !== null) await settle(deps, claimed, settlement);
  return true;
}

async function settlementOf(
  deps: AttemptDeps,
  claimed: ClaimedNotification,
): Promise<Settlement | null> {
  try {
    return await attemptDelivery(deps, claimed);
  } catch (error) {
    // Without the database nothing can be recorded; the claim expires by itself.
    if (!(error instanceof WebhookFailure) && isTransient(error)) throw error;
    return failed(deps, claimed, error);
  }
}

function failed(
  { now, logger }: AttemptDeps,
  claimed: ClaimedNotification,
  cause: unknown,
): Settlement {
  const { id, type, attempts } = claimed;
  const error = describe(cause);
  const fields = { err: cause, notification: id, type, attempts };
  // An unreachable log is not the notification's fault, so the notification waits any time for it.
  if (attempts >= MAX_ATTEMPTS && !(cause instanceof Unavailable)) {
    logger.error(fields, "notification parked");
    return { status: "parked", error };
  }
  logger.warn(fields, "notification not delivered");
  const ownMs = backoffMs(attempts - 1, RETRY.firstMs, RETRY.maxMs);
  // Never sooner than our own back-off: otherwise eight attempts at a webhook that asks for seconds
  // would be over within seconds.
  const askedMs = cause instanceof WebhookFailure ? cause.retryAfterMs : null;
  const delayMs = Math.max(ownMs, askedMs ?? 0);
  return { status: "pending", error, nextAttemptAt: new Date(now().getTime() + delayMs) };
}

/** The reason for people, without our own faults, which are only in the log. */
export function describe(error: unknown): string {
  if (error instanceof WebhookFailure) return error.message;
  return `it could not be prepared (${error instanceof Error ? error.name : "unknown fault"})`;
}

/** Retries for some seconds: an unrecorded delivery is repeated. */
async function settle(
  { pool, now }: AttemptDeps,
  claimed: ClaimedNotification,
  settlement: Settlement,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await settleNotification(pool, claimed, settlement, now());
      return;
    } catch (error) {
      if (!isTransient(error) || attempt === SETTLE_TRIES) throw error;
      await sleep(backoffMs(attempt, 100, 2 * SECOND), new AbortController().signal);
    }
  }
}

export type AttemptDeps = MailDeps & {
  /** Null: notifications are only logged, which counts as delivered. */
  readonly webhook: Webhook | null;
  readonly logger: Logger;
};

/** How long an attempt waits for the read model of users to reach the event. */
const VISIBLE_TIMEOUT_MS = 10_000;

/**
 * Tries to deliver a notification, or determines its recipients.
 * @returns what to record; null when the notification was replaced by one for each recipient
 * @throws WebhookFailure, or the error that prevented its preparation; the attempt has then failed
 */
async function attemptDelivery(
  deps: AttemptDeps,
  claimed: ClaimedNotification,
): Promise<Settlement | null> {
  const { event, position } = await readNotifiedEvent(deps.log, claimed);
  if (claimed.recipientUserId !== null) {
    return deliver(deps, claimed, event, claimed.recipientUserId);
  }
  await waitForPosition(deps.pool, PROJECTIONS.users, position, VISIBLE_TIMEOUT_MS);
  const recipients = await findRecipients(deps.pool, event);
  if (recipients.kind === "one") {
    await addressNotification(deps.pool, claimed, recipients.userId);
    return deliver(deps, claimed, event, recipients.userId);
  }
  if (recipients.userIds.length === 0) {
    return { status: "dropped", reason: "there is no active administrator" };
  }
  await splitNotification(deps.pool, claimed, recipients.userIds, deps.now());
  return null;
}

async function deliver(
  deps: AttemptDeps,
  { id, type, stream }: ClaimedNotification,
  event: NotifiedEvent,
  recipientUserId: string,
): Promise<Settlement> {
  const { pool, webhook, logger, now } = deps;
  const recipient = await currentRecipient(pool, event, recipientUserId);
  if (recipient.kind === "gone") return { status: "dropped", reason: recipient.reason };
  if (webhook === null) {
    logger.info(
      { notification: id, type, recipient: recipientUserId },
      "notification logged: no webhook is configured",
    );
    return { status: "delivered" };
  }
  const mail = await writeMail(deps, event, stream);
  if (mail === null) return { status: "dropped", reason: "the user it is about was deleted" };
  await webhook.send({
    to: recipient.user.email,
    ...mail,
    type,
    id,
    timestamp: now().toISOString(),
  });
  return { status: "delivered" };
}

/** The recipients of an event's notifications: one user, or several, each with a notification. */
type Recipients =
  | { readonly kind: "one"; readonly userId: string }
  | { readonly kind: "each"; readonly userIds: readonly string[] };

async function findRecipients(pool: DatabasePool, event: NotifiedEvent): Promise<Recipients> {
  switch (event.type) {
    case "PasswordResetRequested":
    case "UserInvited":
    case "UserReactivated":
    case "RoleRequestReviewed":
    case "AlertConfirmationRequested":
      return { kind: "one", userId: event.data.userId };
    case "ApprovalRequested":
    case "RoleRequestSubmitted":
      return { kind: "each", userIds: await listActiveAdministratorIds(pool) };
    default:
      return unknownCase(event);
  }
}

function isForAdministrators({ type }: NotifiedEvent): boolean {
  return type === "RoleRequestSubmitted" || type === "ApprovalRequested";
}

/** The recipient's present data, or why there is no recipient any more. */
type CurrentRecipient =
  | { readonly kind: "recipient"; readonly user: UserDetails }
  | { readonly kind: "gone"; readonly reason: string };

async function currentRecipient(
  pool: DatabasePool,
  event: NotifiedEvent,
  userId: string,
): Promise<CurrentRecipient> {
  const user = await findUndeleted(pool, userId);
  if (user === null) return { kind: "gone", reason: "the recipient was deleted" };
  if (!user.is_active) return { kind: "gone", reason: "the recipient is deactivated" };
  if (isForAdministrators(event) && user.role !== "admin") {
    return { kind: "gone", reason: "the recipient is no administrator any more" };
  }
  return { kind: "recipient", user };
}

type MailDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<EventLog, "read">;
  readonly publicBaseUrl: string;
  readonly now: () => Date;
};

/**
 * The mail for an event of `stream`; null when the event's user was deleted. A reset token is
 * created here and exists only in the mail.
 */
async function writeMail(
  deps: MailDeps,
  event: NotifiedEvent,
  stream: string,
): Promise<Mail | null> {
  switch (event.type) {
    case "PasswordResetRequested":
      return withToken(deps, event.data.userId, RESET_MS, passwordResetMail);
    case "UserInvited":
      return withToken(deps, event.data.userId, INVITATION_MS, invitationMail);
    case "UserReactivated":
      return accountActivatedMail(deps.publicBaseUrl);
    case "ApprovalRequested":
      return awaitingApproval(deps, event.data.userId);
    case "RoleRequestSubmitted":
      return submitted(deps, event.data);
    case "RoleRequestReviewed":
      return reviewed(deps, event.data, stream);
    case "AlertConfirmationRequested": {
      const key = await readPersonalKey(deps.pool, event.data.userId);
      if (key === null) return null;
      const token = confirmationToken(key, event.data.alertId);
      return alertConfirmationMail(deps.publicBaseUrl, token);
    }
    default:
      return unknownCase(event);
  }
}

async function withToken(
  { pool, publicBaseUrl, now }: MailDeps,
  userId: string,
  lifetimeMs: number,
  mailOf: (publicBaseUrl: string, token: string) => Mail,
): Promise<Mail | null> {
  const token = await issueResetToken(pool, userId, now(), lifetimeMs);
  return token === null ? null : mailOf(publicBaseUrl, token);
}

async function awaitingApproval(
  { pool, publicBaseUrl }: MailDeps,
  userId: string,
): Promise<Mail | null> {
  const user = await findUndeleted(pool, userId);
  return user && approvalRequestedMail(publicBaseUrl, user);
}

async function submitted(
  { pool, publicBaseUrl }: MailDeps,
  { userId, ...request }: UserEventData<"RoleRequestSubmitted">,
): Promise<Mail | null> {
  const user = await findUndeleted(pool, userId);
  const key = await readPersonalKey(pool, userId);
  if (user === null || key === null) return null;
  return roleRequestSubmittedMail(publicBaseUrl, {
    userName: user.name,
    userEmail: user.email,
    currentRole: request.currentRole,
    requestedRole: request.requestedRole,
    justification: decryptPersonal(key, request.justificationEncrypted),
  });
}

async function reviewed(
  { pool, log, publicBaseUrl }: MailDeps,
  { userId, roleRequestId, status, adminNotesEncrypted }: UserEventData<"RoleRequestReviewed">,
  stream: string,
): Promise<Mail | null> {
  const key = await readPersonalKey(pool, userId);
  if (key === null) return null;
  const submission = await findSubmission(log, stream, roleRequestId);
  return roleRequestReviewedMail(publicBaseUrl, {
    requestedRole: submission?.data.requestedRole ?? null,
    status,
    notes: adminNotesEncrypted === null ? null : decryptPersonal(key, adminNotesEncrypted),
  });
}

const PAGE = 500;

/**
 * The event of a notification.
 * @throws Error when the log does not have it at its place
 */
async function readNotifiedEvent(
  log: Pick<EventLog, "read">,
  { noticeId, stream, revision }: ClaimedNotification,
): Promise<{ event: NotifiedEvent; position: Position }> {
  const [recorded] = await log.read(stream, revision, 1);
  if (recorded?.id !== noticeId) throw new Error(`the log has no event ${noticeId} at its place`);
  return { event: fromRecorded(recorded) as NotifiedEvent, position: recorded.position };
}

/** The submission of the reviewed role request, in the same stream; null without one. */
async function findSubmission(
  log: Pick<EventLog, "read">,
  stream: string,
  roleRequestId: string,
): Promise<Extract<UserEvent, { type: "RoleRequestSubmitted" }> | null> {
  for (let from = 0; ; from += PAGE) {
    const page = await log.read(stream, from, PAGE);
    for (const recorded of page.filter(({ type }) => type === "RoleRequestSubmitted")) {
      const event = fromRecorded(recorded);
      if (event.type === "RoleRequestSubmitted" && event.data.roleRequestId === roleRequestId) {
        return event;
      }
    }
    if (page.length < PAGE) return null;
  }
}

/** The user is missing in a read model that is still being built, so the recipient is not known yet. */
class UserNotVisible extends Error {
  override readonly name = "UserNotVisible";
}

/**
 * A user; null for a deleted one. The vault decides, which loses the key with the deletion, while
 * the read model may lag behind: a dropped notification does not come back.
 * @throws UserNotVisible
 */
async function findUndeleted(
  pool: CommonQueryMethods,
  userId: string,
): Promise<UserDetails | null> {
  if ((await readPersonalKey(pool, userId)) === null) return null;
  const user = await findUser(pool, userId);
  if (user === null) throw new UserNotVisible(`user ${userId} is not in the read model`);
  return user;
}
