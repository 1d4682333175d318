import { Refusal } from "#contracts/errors.ts";
import {
  findNotification,
  listNotifications,
  retryNotification,
} from "#infra/brokers/notifications.ts";
import type { MakeHandler } from "./make-handler.ts";

export const listNotificationsHandler: MakeHandler<"listNotifications", "pool"> =
  ({ pool }) =>
  async ({ query }) => ({
    body: { notifications: [...(await listNotifications(pool, query))] },
  });

export const retryNotificationHandler: MakeHandler<"retryNotification", "pool" | "now"> =
  ({ pool, now }) =>
  async ({ params }) => {
    const retried = await retryNotification(pool, params.id, now());
    const notification = await findNotification(pool, params.id);
    if (retried && notification) return { body: { notification } };
    if (!notification) throw new Refusal("NOT_FOUND", "Notification not found");
    throw new Refusal("CONFLICT", "Only a parked notification can be retried");
  };
