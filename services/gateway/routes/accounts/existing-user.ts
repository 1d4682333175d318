import type { CommonQueryMethods } from "slonik";
import { ApiError } from "#contracts/errors.ts";
import type { UserDetails } from "#contracts/http/accounts.ts";
import { findUser } from "#projections/queries/user-queries.ts";
import { isUserId } from "#services/domain/account/user-id.ts";

/** @throws ApiError NOT_FOUND, also for what is no user id and may not even be a text for the database */
export async function existingUser(pool: CommonQueryMethods, userId: string): Promise<UserDetails> {
  const user = isUserId(userId) ? await findUser(pool, userId) : null;
  if (!user) throw new ApiError("NOT_FOUND", "User not found");
  return user;
}
