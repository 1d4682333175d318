import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { RoleRequest } from "#contracts/http/role-requests.ts";
import {
  findRoleRequest,
  listRoleRequests,
  listRoleRequestsOf,
} from "#projections/queries/accounts/role-request-queries.ts";
import {
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
} from "#services/commands/accounts/role-requests.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function submitRoleRequestHandler(
  context: CommandContext,
): Handler<Operations["submitRoleRequest"]> {
  return async ({ command, actor, body }) => {
    const id = await submitRoleRequestCommand(context, command, actor.userId, body);
    return { body: { request: await existingRoleRequest(context.pool, id) } };
  };
}

export function listOwnRoleRequestsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listOwnRoleRequests"]> {
  return async ({ actor }) => ({
    body: { requests: [...(await listRoleRequestsOf(pool, actor.userId))] },
  });
}

export function listRoleRequestsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listRoleRequests"]> {
  return async ({ query }) => ({
    body: { requests: [...(await listRoleRequests(pool, query.status))] },
  });
}

export function reviewRoleRequestHandler(
  context: CommandContext,
): Handler<Operations["reviewRoleRequest"]> {
  return async ({ command, params, body }) => {
    await reviewRoleRequestCommand(context, command, params.id, body);
    const request = await existingRoleRequest(context.pool, params.id);
    return { body: { request }, about: request.user_id };
  };
}

/** @throws Refusal NOT_FOUND */
async function existingRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest> {
  const request = await findRoleRequest(pool, id);
  if (!request) throw new Refusal("NOT_FOUND", "Role request not found");
  return request;
}
