import type { Operations } from "#contracts/http/operations.ts";
import { listRoleRequestsOf } from "#projections/queries/role-request-queries.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function listOwnRoleRequestsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listOwnRoleRequests"]> {
  return async ({ actor }) => ({
    body: { requests: [...(await listRoleRequestsOf(pool, actor.userId))] },
  });
}
