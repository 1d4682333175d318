import { Refusal } from "#contracts/errors.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { endSessions, readPersonalKey } from "#infra/vault/credentials.ts";
import { encryptPersonal, identityHmac } from "#infra/vault/personal-data.ts";
import { tieIdentity } from "#services/domain/accounts/account.ts";
import { type Command, untilCurrent } from "../../context.ts";
import type { AccountContext } from "../account-context.ts";
import { decideOnAccount } from "../account-decision.ts";

/** An account at an institute: its provider, and the provider's own name for the person. */
export type InstituteAccount = { readonly issuer: string; readonly subject: string };

/** Any fixed number, unique among the service's advisory locks. */
const IDENTITIES_LOCK = "6120459873320417";

/**
 * Runs `work` while no other caller ties accounts, so that of two first sign-ins of a person, at whatever
 * gateways, one comes second; it then finds in the read model what the other has tied.
 */
export function whileIdentitiesStay<T>(
  context: AccountContext,
  work: () => Promise<T>,
): Promise<T> {
  return whileLocked(context.pool, IDENTITIES_LOCK, async () => {
    await untilCurrent(context, "users", await context.log.head());
    return work();
  });
}

/**
 * Ties an account to an institute's account, in place of an earlier one; resolves when it is visible. Whoever used the
 * account before may be somebody else: its sessions end, and then its access tokens. To be called while identities
 * stay.
 * @returns how many access tokens have ended
 * @throws Refusal NOT_FOUND for a deleted account
 */
export async function tieIdentityTo(
  context: AccountContext,
  command: Command,
  userId: string,
  { issuer, subject }: InstituteAccount,
): Promise<number> {
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  const identity = {
    issuer,
    subjectEncrypted: encryptPersonal(key, subject),
    identityHmac: identityHmac(context.emailKey, { issuer, subject }),
  };
  await endSessions(context.pool, userId, context.now());
  const now = context.now().toISOString();
  const { events, position } = await decideOnAccount(context, command, userId, (state) =>
    tieIdentity(state, identity, now),
  );
  await context.untilVisible("users", position);
  return events.filter(({ type }) => type === "AccessTokenEnded").length;
}
