import type { CommonQueryMethods } from "slonik";
import type { UserDetails } from "#contracts/http/accounts.ts";
import { readPersonalKey } from "#infra/security/vault/credentials.ts";
import { findUser } from "#projections/queries/user-queries.ts";

/** The user is not in the read model, which is being built: it is not known yet whom to write to. */
class UserNotVisible extends Error {
  override readonly name = "UserNotVisible";
}

/**
 * A user, or null for one that was deleted. The vault decides: it forgets with the deletion, while
 * the read model may be behind, and what is dropped does not come back.
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
