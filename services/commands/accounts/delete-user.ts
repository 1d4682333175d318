import { Refusal } from "#contracts/errors.ts";
import { forgetUser, listOrphanedKeys } from "#infra/vault/credentials.ts";
import { deleteUser, endAccessTokens, existing } from "#services/domain/accounts/account.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnAccount, loadAccount } from "./account-decision.ts";
import { whileAdministratorsStay } from "./administrators.ts";
import { releaseEmailAddress } from "./email-reservations.ts";

/**
 * Deletes an account: by the log's event it is deleted; then its address is freed; last its key is
 * destroyed. Until then the sweep finds the unfinished deletion by the key.
 * @returns how many access tokens were good still, which have ended with it
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function deleteUserCommand(
  context: CommandContext,
  command: Command,
  userId: string,
): Promise<number> {
  if (!isUserId(userId)) throw new Refusal("NOT_FOUND", "User not found");
  const account = existing(await loadAccount(context, userId));
  const { emailHmac } = account;
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
  await context.untilVisible("users", position);
  return endAccessTokens(account, context.now().toISOString()).length;
}

/**
 * Finishes deletions that were interrupted after their event: frees the address and destroys the
 * key. The log decides what is deleted, since a key without a row may belong to a running
 * registration.
 * @returns the number of finished deletions
 */
export async function finishDeletions(
  context: Pick<CommandContext, "log" | "pool" | "now" | "newId">,
): Promise<number> {
  let finished = 0;
  for (const userId of await listOrphanedKeys(context.pool)) {
    const state = await loadAccount(context, userId);
    if (state.status !== "deleted") continue;
    const command = { id: context.newId(), actor: "system" };
    const { emailHmac } = state;
    if (emailHmac !== null) await releaseEmailAddress(context, command, { emailHmac, userId });
    await forgetUser(context.pool, userId);
    finished += 1;
  }
  return finished;
}
