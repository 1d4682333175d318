import { z } from "zod";
import { NotificationType } from "../notifications/notice.ts";
import { queryLimit } from "./long-list.ts";
import { operation } from "./operation.ts";

/**
 * `pending`: not delivered yet. `delivered`: accepted by the webhook, or logged without a webhook.
 * `parked`: failed too often and waits for a retry. `dropped`: has no recipient any more.
 */
export const NotificationStatus = z.enum(["pending", "delivered", "parked", "dropped"]);
export type NotificationStatus = z.infer<typeof NotificationStatus>;

export const NOTIFICATIONS_LIMIT = { default: 100, max: 1000 } as const;

export const Notification = z
  .object({
    id: z.uuid().describe("the webhook's `id`"),
    type: NotificationType,
    recipient_user_id: z.string().nullable().describe("null until the recipient is found"),
    status: NotificationStatus,
    attempts: z.int().describe("since the last retry"),
    last_error: z.string().nullable().describe("why it failed last, or was dropped"),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Notification" });
export type Notification = z.infer<typeof Notification>;

export const NotificationsQuery = z.strictObject({
  status: NotificationStatus.optional(),
  limit: queryLimit(NOTIFICATIONS_LIMIT, "notifications in one answer").optional(),
  before: z
    .uuid()
    .optional()
    .describe("id of the last notification of the page before: continues after it"),
});
export type NotificationsQuery = z.output<typeof NotificationsQuery>;

export const listNotifications = operation({
  method: "GET",
  path: "/api/notifications",
  summary: "Notifications and how their delivery stands, newest first",
  tag: "Notifications",
  access: "admin",
  rate: "read",
  query: NotificationsQuery,
  success: { status: 200, schema: z.object({ notifications: z.array(Notification) }) },
  errors: ["VALIDATION_ERROR"],
});

export const retryNotification = operation({
  method: "POST",
  path: "/api/notifications/:id/retry",
  summary: "Give a parked notification eight more attempts",
  tag: "Notifications",
  access: "admin",
  rate: "write",
  params: z.object({ id: z.uuid().toLowerCase() }),
  success: { status: 202, schema: z.object({ notification: Notification }) },
  errors: ["NOT_FOUND", "CONFLICT"],
});
