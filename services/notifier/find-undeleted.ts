import type { CommonQueryMethods } from "slonik";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import { findUser } from "#projections/read/accounts.ts";

/** The user is missing in a read model that is still being built, so the recipient is not known yet. */
class UserNotVisible extends Error {
  override readonly name = "UserNotVisible";
}

/**
 * A user; null for a deleted one. The vault decides, which loses the key with the deletion, while
 * the read model may lag behind: a dropped notification does not come back.
 * @throws UserNotVisible
 */
export async function findUndeleted(
  pool: CommonQueryMethods,
  userId: string,
): Promise<UserDetails | null> {
  if ((await readPersonalKey(pool, userId)) === null) return null;
  const user = await findUser(pool, userId);
  if (user === null) throw new UserNotVisible(`user ${userId} is not in the read model`);
  return user;
}
