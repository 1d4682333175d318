import type { Operations } from "#contracts/http/operations.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { existingUser } from "./existing-user.ts";

export function getUserHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["getUser"]> {
  return async ({ params }) => ({ body: { user: await existingUser(pool, params.id) } });
}
