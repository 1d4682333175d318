import { forgetUser, listOrphanedKeys } from "#infra/security/vault/credentials.ts";
import type { CommandContext } from "../context.ts";
import { loadAccount } from "./account-decision.ts";
import { releaseEmailAddress } from "./email-reservations.ts";

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
