import type { DatabasePool } from "slonik";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import type { NotifiedEvent } from "#contracts/notifications/notice.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { decryptPersonal } from "#infra/security/personal-data.ts";
import { readPersonalKey } from "#infra/security/vault/credentials.ts";
import { INVITATION_MS, issueResetToken, RESET_MS } from "#infra/security/vault/reset-tokens.ts";
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
import { findSubmission } from "./notified-event.ts";

export type MailDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<EventLog, "read">;
  readonly publicBaseUrl: string;
  readonly now: () => Date;
};

/**
 * The mail for an event of `stream`; null when the event's user was deleted. A reset token is
 * created here and exists only in the mail.
 */
export async function writeMail(
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
