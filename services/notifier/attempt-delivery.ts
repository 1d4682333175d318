import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { PROJECTIONS } from "#contracts/names.ts";
import type { NotifiedEvent } from "#contracts/notifications/notice.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import {
  addressNotification,
  type ClaimedNotification,
  type Settlement,
  splitNotification,
} from "#infra/brokers/notifications.ts";
import type { Webhook } from "#infra/brokers/webhook.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import {
  INVITATION_MS,
  issueResetToken,
  RESET_MS,
  readPersonalKey,
} from "#infra/vault/credentials.ts";
import { decryptPersonal } from "#infra/vault/personal-data.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import { listActiveAdministratorIds } from "#projections/read/accounts.ts";
import { findUndeleted } from "./find-undeleted.ts";
import {
  accountActivatedMail,
  approvalRequestedMail,
  invitationMail,
  type Mail,
  passwordResetMail,
  roleRequestReviewedMail,
  roleRequestSubmittedMail,
} from "./mail-texts.ts";
import { findSubmission, readNotifiedEvent } from "./notified-event.ts";

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
export async function attemptDelivery(
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
