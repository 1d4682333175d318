import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { findAccountByEmail } from "#projections/queries/user-queries.ts";
import { requestPasswordReset } from "#services/domain/account/decide.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/account/email-address.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";

/** Well above the time of an append, so that the duration does not show whether there was one. */
const ANSWER_AFTER_MS = 250;

/**
 * Requests a password reset of an active account with this address. Takes the same time and returns
 * the same for an unknown address. Only the log is written; the notifier creates the token.
 * @throws Refusal VALIDATION_ERROR for a malformed address
 */
export async function forgotPasswordCommand(
  context: AccountContext,
  command: Command,
  email: string,
): Promise<void> {
  if (!isEmailAddress(email)) throw new Refusal("VALIDATION_ERROR", "Invalid email format");
  await Promise.all([requestReset(context, command, email), delay(ANSWER_AFTER_MS)]);
}

async function requestReset(
  context: AccountContext,
  command: Command,
  email: string,
): Promise<void> {
  const hmac = emailHmac(context.emailKey, normaliseEmail(email));
  const account = await findAccountByEmail(context.lookups, hmac);
  if (!account) return;
  const resetId = context.newId();
  await decideOnAccount(context, command, account.id, (state) =>
    requestPasswordReset(state, resetId),
  );
}
