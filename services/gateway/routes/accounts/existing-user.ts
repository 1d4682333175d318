import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { UserDetails } from "#contracts/http/accounts.ts";
import { findUser } from "#projections/queries/user-queries.ts";
import { isUserId } from "#services/domain/account/account-fields.ts";

/** @throws Refusal NOT_FOUND, also for an invalid user id, which may not even be storable text */
export async function existingUser(pool: CommonQueryMethods, userId: string): Promise<UserDetails> {
  const user = isUserId(userId) ? await findUser(pool, userId) : null;
  if (!user) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}
