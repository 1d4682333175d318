import type { RequestableRole } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import { encryptPersonal } from "#infra/vault/personal-data.ts";
import { findRoleRequest } from "#projections/read/accounts.ts";
import {
  adminNotes,
  justification,
  reviewRoleRequest,
  submitRoleRequest,
} from "#services/domain/accounts/account.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnAccount } from "./account-decision.ts";

export type RoleRequestForm = {
  readonly requestedRole: RequestableRole;
  readonly justification: string;
};

/**
 * Submits a role request of `userId` and returns its id once it is visible.
 * @throws Refusal VALIDATION_ERROR, CONFLICT, NOT_FOUND
 */
export async function submitRoleRequestCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  form: RoleRequestForm,
): Promise<string> {
  const { requestedRole } = form;
  const text = justification(form.justification);
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  // A retried command returns the request of the first run.
  const roleRequestId = deriveEventId(command.id, "role request", 0);
  const justificationEncrypted = encryptPersonal(key, text);
  const { position } = await decideOnAccount(context, command, userId, (state) =>
    submitRoleRequest(state, { roleRequestId, requestedRole, justificationEncrypted }),
  );
  await context.untilVisible("users", position);
  return roleRequestId;
}

export type RoleRequestReview = {
  readonly status: "approved" | "rejected";
  readonly adminNotes?: string | null | undefined;
};

/**
 * Approves or rejects a role request; resolves when the review, and the role, are visible.
 * @param roleRequestId UUID
 * @throws Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT
 */
export async function reviewRoleRequestCommand(
  context: CommandContext,
  command: Command,
  roleRequestId: string,
  review: RoleRequestReview,
): Promise<void> {
  const notes = adminNotes(review.adminNotes);
  const request = await findRoleRequest(context.pool, roleRequestId);
  const key = request && (await readPersonalKey(context.pool, request.user_id));
  if (!request || !key) throw new Refusal("NOT_FOUND", "Role request not found");
  const { position } = await decideOnAccount(context, command, request.user_id, (state) =>
    reviewRoleRequest(state, {
      roleRequestId,
      status: review.status,
      reviewedBy: command.actor,
      adminNotesEncrypted: notes === null ? null : encryptPersonal(key, notes),
    }),
  );
  await context.untilVisible("users", position);
}
