/** What tells of changes by itself: feeds of a catalogue's events, and mails. */

import { z } from "zod";
import { NotificationType } from "../events/notices.ts";
import { filteredQuery, filterShape, queryLimit, queryList } from "../query/parameters.ts";
import { Id, operation, sharedAt } from "./operation.ts";

/** Most catalogues that one feed follows. */
export const MAX_FOLLOWED = 50;

const shape = {
  after: z
    .string()
    .optional()
    .describe(
      "id of the last message taken, or a version; 0 for everything; without it only what is to come",
    ),
  control: z
    .enum(["true", "false"])
    .optional()
    .describe("true: messages `ready` and `version` too"),
  ...filterShape,
};

export const FeedQuery = filteredQuery(shape);
export type FeedQuery = z.output<typeof FeedQuery>;

export const FeedsQuery = filteredQuery({
  catalogue: queryList("ids of the catalogues").refine(
    (ids) => ids.length <= MAX_FOLLOWED,
    `at most ${MAX_FOLLOWED} catalogues`,
  ),
  ...shape,
});
export type FeedsQuery = z.output<typeof FeedsQuery>;

/** `token` is the secret of a share. */
const FeedParams = z.object({ id: Id, token: z.string().optional() });

const MESSAGES =
  "messages {action: create|update|delete, data: Feature}, as EMSC's feed, with a filter also reason, before and now; each with the id to go on from";

const events = {
  answer: z.string().describe(`server-sent events: ${MESSAGES}`),
  contentTypes: ["text/event-stream"],
} as const;

const socket = {
  status: 101,
  answer: z.string().describe(`a WebSocket: ${MESSAGES} as a member`),
  contentTypes: [],
} as const;

export const followCatalogue = operation("GET", "/api/catalogues/:id/feed", {
  summary: "Every change of a catalogue's events, as server-sent events, from any point on",
  access: "readers",
  alsoAt: sharedAt("/feed"),
  rate: "clients",
  caching: "streamed",
  params: FeedParams,
  query: FeedQuery,
  ...events,
  errors: ["UNAVAILABLE"],
});

export const followCatalogueBySocket = operation("GET", "/api/catalogues/:id/feed/websocket", {
  summary: "Every change of a catalogue's events, by WebSocket",
  access: "readers",
  alsoAt: sharedAt("/feed/websocket"),
  rate: "clients",
  upgrade: "websocket",
  params: FeedParams,
  query: FeedQuery,
  ...socket,
  errors: ["UNAVAILABLE"],
});

export const followCatalogues = operation("GET", "/api/feed", {
  summary: "Every change of several catalogues' events, as server-sent events",
  access: "public",
  names: { "query.catalogue": "read" },
  rate: "clients",
  caching: "streamed",
  query: FeedsQuery,
  ...events,
  errors: ["NOT_FOUND", "UNAVAILABLE", "UNAUTHENTICATED"],
});

export const followCataloguesBySocket = operation("GET", "/api/feed/websocket", {
  summary: "Every change of several catalogues' events, by WebSocket",
  access: "public",
  names: { "query.catalogue": "read" },
  rate: "clients",
  upgrade: "websocket",
  query: FeedsQuery,
  ...socket,
  errors: ["NOT_FOUND", "UNAVAILABLE", "UNAUTHENTICATED"],
});

/**
 * `pending`: not delivered yet. `delivered`: accepted by the webhook, or logged without a webhook.
 * `parked`: failed too often and waits for a retry. `dropped`: has no recipient any more.
 */
export const NotificationStatus = z.enum(["pending", "delivered", "parked", "dropped"]);

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

export const listNotifications = operation("GET", "/api/notifications", {
  summary: "Notifications and how their delivery stands, newest first",
  access: "admin",
  query: NotificationsQuery,
  answer: z.object({ notifications: z.array(Notification) }),
});

export const retryNotification = operation("POST", "/api/notifications/:id/retry", {
  summary: "Give a parked notification eight more attempts",
  access: "admin",
  status: 202,
  answer: z.object({ notification: Notification }),
  errors: ["CONFLICT"],
});
