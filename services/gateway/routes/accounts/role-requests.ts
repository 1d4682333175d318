import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { RoleRequest } from "#contracts/http/accounts/role-requests.ts";
import {
  findRoleRequest,
  listRoleRequests,
  listRoleRequestsOf,
} from "#projections/queries/accounts/role-request-queries.ts";
import {
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
} from "#services/commands/accounts/role-requests.ts";
import { following } from "../../http/answer-body.ts";
import type { MakeHandler } from "../make-handler.ts";

export const submitRoleRequestHandler: MakeHandler<"submitRoleRequest"> =
  ({ context }) =>
  async ({ command, actor, body }) => {
    const id = await submitRoleRequestCommand(context, command, actor.userId, body);
    return { body: { request: await existingRoleRequest(context.pool, id) } };
  };

export const listOwnRoleRequestsHandler: MakeHandler<"listOwnRoleRequests", "pool"> =
  ({ pool }) =>
  async ({ actor }) => ({
    body: { requests: [...(await listRoleRequestsOf(pool, actor.userId))] },
  });

export const listRoleRequestsHandler: MakeHandler<"listRoleRequests", "pool"> =
  ({ pool }) =>
  async ({ query }) => {
    const { rows, nextCursor } = await listRoleRequests(pool, query);
    return { body: { requests: [...rows], ...following(nextCursor) } };
  };

export const reviewRoleRequestHandler: MakeHandler<"reviewRoleRequest"> =
  ({ context }) =>
  async ({ command, params, body }) => {
    await reviewRoleRequestCommand(context, command, params.id, body);
    const request = await existingRoleRequest(context.pool, params.id);
    return { body: { request }, about: request.user_id };
  };

/** @throws Refusal NOT_FOUND */
async function existingRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest> {
  const request = await findRoleRequest(pool, id);
  if (!request) throw new Refusal("NOT_FOUND", "Role request not found");
  return request;
}
