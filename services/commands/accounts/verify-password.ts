import { isKnownNetwork } from "#infra/security/vault/known-networks.ts";
import { PASSWORD_MAX } from "#services/domain/account/password.ts";
import type { AccountContext } from "./account-context.ts";
import type { CallerNetwork } from "./caller-network.ts";

/** A UTF-16 code unit is at most half a character: no longer password was ever taken. */
const PASSWORD_MAX_UNITS = 2 * PASSWORD_MAX;

export type PasswordHolder = { readonly userId: string; readonly passwordHash: string };

/**
 * Whether the password is the holder's, and may be used from where it comes. Takes the same work for
 * nobody, and for a holder whose network is not known.
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
  // One too long to be anybody's is compared as an empty one.
  const bounded = password.length <= PASSWORD_MAX_UNITS ? password : "";
  return passwords.verify(hash, bounded);
}
