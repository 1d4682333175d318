import { forgetUser } from "#infra/security/vault/credentials.ts";
import { listOrphanedKeys } from "#infra/security/vault/orphaned-keys.ts";
import type { CommandContext } from "../context.ts";
import { loadAccount } from "./account-decision.ts";
import { releaseEmailAddress } from "./email-reservations.ts";

/**
 * Finishes deletions that were cut off after their event: the address is freed and the key
 * destroyed. The log decides what is deleted: a key without a row may be of a registration under way.
 * @returns how many were finished
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
