import { Refusal } from "#contracts/errors.ts";
import { forgetUser } from "#infra/security/vault/credentials.ts";
import { deleteUser, existing } from "#services/domain/account/decide.ts";
import { isUserId } from "#services/domain/account/user-id.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnAccount, loadAccount, untilVisible } from "./account-decision.ts";
import { whileAdministratorsStay } from "./administrators.ts";
import { releaseEmailAddress } from "./email-reservations.ts";

/**
 * Deletes an account: by the log's event it is deleted; then its address is freed; last its key is
 * destroyed. Until then the sweep finds the unfinished deletion by the key.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function deleteUserCommand(
  context: CommandContext,
  command: Command,
  userId: string,
): Promise<void> {
  if (!isUserId(userId)) throw new Refusal("NOT_FOUND", "User not found");
  const { emailHmac } = existing(await loadAccount(context, userId));
  const position = await whileAdministratorsStay(
    context,
    userId,
    async (otherActiveAdministrator) => {
      const decided = await decideOnAccount(context, command, userId, (state) =>
        deleteUser(state, { actor: command.actor, otherActiveAdministrator }),
      );
      return decided.position;
    },
  );
  await releaseEmailAddress(context, command, { emailHmac, userId });
  await forgetUser(context.pool, userId);
  await untilVisible(context, position);
}
