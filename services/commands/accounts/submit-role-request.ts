import type { RequestableRole } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { deriveEventId } from "#infra/event-log/domain-events.ts";
import { encryptPersonal } from "#infra/security/personal-data.ts";
import { readPersonalKey } from "#infra/security/vault/credentials.ts";
import { justification } from "#services/domain/account/request-text.ts";
import { submitRoleRequest } from "#services/domain/account/role-requests.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnAccount, untilVisible } from "./account-decision.ts";

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
  await untilVisible(context, position);
  return roleRequestId;
}
