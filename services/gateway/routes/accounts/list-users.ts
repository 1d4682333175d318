import type { Operations } from "#contracts/http/operations.ts";
import { listUsers } from "#projections/queries/user-queries.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function listUsersHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listUsers"]> {
  return async () => ({ body: { users: [...(await listUsers(pool))] } });
}
