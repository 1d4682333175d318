import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import {
  findNotification,
  listNotifications,
  retryNotification,
} from "#infra/notifications/notification-queries.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../http/handler.ts";

export function listNotificationsHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listNotifications"]> {
  return async ({ query }) => ({
    body: { notifications: [...(await listNotifications(pool, query))] },
  });
}

export function retryNotificationHandler({
  pool,
  now,
}: Pick<CommandContext, "pool" | "now">): Handler<Operations["retryNotification"]> {
  return async ({ params }) => {
    const retried = await retryNotification(pool, params.id, now());
    const notification = await findNotification(pool, params.id);
    if (retried && notification) return { body: { notification } };
    if (!notification) throw new Refusal("NOT_FOUND", "Notification not found");
    throw new Refusal("CONFLICT", "Only a parked notification can be retried");
  };
}
