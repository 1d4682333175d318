import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { RoleRequest } from "#contracts/http/role-requests.ts";
import { findRoleRequest } from "#projections/queries/role-request-queries.ts";

/** @throws Refusal NOT_FOUND */
export async function existingRoleRequest(
  pool: CommonQueryMethods,
  id: string,
): Promise<RoleRequest> {
  const request = await findRoleRequest(pool, id);
  if (!request) throw new Refusal("NOT_FOUND", "Role request not found");
  return request;
}
