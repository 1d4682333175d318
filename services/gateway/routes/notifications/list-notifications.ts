import type { Operations } from "#contracts/http/operations.ts";
import { listNotifications } from "#infra/notifications/notification-queries.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function listNotificationsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listNotifications"]> {
  return async ({ query }) => ({
    body: { notifications: [...(await listNotifications(pool, query))] },
  });
}
