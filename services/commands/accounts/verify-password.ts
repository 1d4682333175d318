import { isKnownNetwork } from "#infra/security/vault/known-networks.ts";
import { PASSWORD_MAX } from "#services/domain/account/password.ts";
import type { AccountContext } from "./account-context.ts";
import type { CallerNetwork } from "./caller-network.ts";

/** A character has at most two UTF-16 units, so longer input exceeds the limit of passwords. */
const PASSWORD_MAX_UNITS = 2 * PASSWORD_MAX;

export type PasswordHolder = { readonly userId: string; readonly passwordHash: string };

/**
 * Whether the password is the holder's and may be used from this network. Takes the same work
 * without a holder, and for an unknown network.
 */
export async function verifyPassword(
  { lookups, passwords, now }: Pick<AccountContext, "lookups" | "passwords" | "now">,
  holder: PasswordHolder | null,
  password: string,
  { tag: networkTag, mustBeKnown }: CallerNetwork,
): Promise<boolean> {
  const network = { userId: holder?.userId ?? "", networkTag };
  const mayBeUsed = !mustBeKnown || (await isKnownNetwork(lookups, network, now()));
  const hash = mayBeUsed && holder ? holder.passwordHash : null;
  // Input that is too long for a password is compared as an empty one.
  const bounded = password.length <= PASSWORD_MAX_UNITS ? password : "";
  return passwords.verify(hash, bounded);
}
