import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { RoleRequest, type RoleRequestStatus } from "#contracts/http/accounts/role-requests.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";
import {
  CreatedKey,
  createdBefore,
  createdKeyOf,
  type ListPage,
  type ListRequest,
  readListPage,
} from "../long-list.ts";

const RECORD = sql.fragment`
  r.id, r.user_id, u.email as user_email, u.name as user_name,
  r.role_before as "current_role", r.requested_role, r.justification, r.status, r.admin_notes,
  ${isoTimes("r.created_at", "r.updated_at", "r.reviewed_at")}, r.reviewed_by
  from read_model.role_requests r join read_model.users u on u.id = r.user_id`;

const NEWEST_FIRST = sql.fragment`order by r.created_at desc, r.id desc`;

/** The role requests of all users, optionally of one status. */
export function listRoleRequests(
  pool: CommonQueryMethods,
  { status: only, ...request }: ListRequest & { readonly status?: RoleRequestStatus | undefined },
): Promise<ListPage<RoleRequest>> {
  const status = only ?? null;
  const read = (after: CreatedKey | null, limit: number) =>
    pool.any(sql.type(RoleRequest)`
      select ${RECORD}
      where (${status}::text is null or r.status = ${status}) and ${createdBefore("r", after)}
      ${NEWEST_FIRST} limit ${limit}`);
  const list = { key: CreatedKey.extend({ id: z.uuid() }), keyOf: createdKeyOf, read };
  return readListPage({ ...list, name: `role requests ${status ?? ""}` }, request);
}

export function listRoleRequestsOf(
  pool: CommonQueryMethods,
  userId: string,
): Promise<readonly RoleRequest[]> {
  return pool.any(sql.type(RoleRequest)`
    select ${RECORD} where r.user_id = ${userId} ${NEWEST_FIRST}`);
}

/** `id` is a UUID. */
export function findRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest | null> {
  return pool.maybeOne(sql.type(RoleRequest)`select ${RECORD} where r.id = ${id}::uuid`);
}
