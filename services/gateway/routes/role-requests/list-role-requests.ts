import type { Operations } from "#contracts/http/operations.ts";
import { listRoleRequests } from "#projections/queries/role-request-queries.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function listRoleRequestsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listRoleRequests"]> {
  return async ({ query }) => ({
    body: { requests: [...(await listRoleRequests(pool, query.status))] },
  });
}
