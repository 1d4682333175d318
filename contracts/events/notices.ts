import { z } from "zod";
import type { KeyWithValue } from "../cases.ts";
import type { UserEvent } from "./accounts.ts";

export const NOTIFICATION_TYPES = [
  "password_reset",
  "approval_requested",
  "account_activated",
  "role_request_submitted",
  "role_request_reviewed",
  "alert_confirmation",
] as const;
export const NotificationType = z.enum(NOTIFICATION_TYPES);
export type NotificationType = z.infer<typeof NotificationType>;

/** The notification type for each user event; null for events without a notification. */
export const NOTIFICATION_OF = {
  UserRegistered: null,
  ApprovalRequested: "approval_requested",
  UserInvited: "password_reset",
  UserRenamed: null,
  UserRoleChanged: null,
  IdentityTied: null,
  UserDeactivated: null,
  UserReactivated: "account_activated",
  UserDeleted: null,
  PasswordChanged: null,
  PasswordResetRequested: "password_reset",
  RoleRequestSubmitted: "role_request_submitted",
  RoleRequestReviewed: "role_request_reviewed",
  AccessTokenCreated: null,
  AccessTokenEnded: null,
  AlertMade: null,
  AlertChanged: null,
  AlertConfirmationRequested: "alert_confirmation",
  AlertDeleted: null,
  EmailReserved: null,
  EmailReleased: null,
} as const satisfies Record<UserEvent["type"], NotificationType | null>;

/** The events that cause notifications. */
export type NotifiedEvent = Extract<UserEvent, { type: KeyWithValue<typeof NOTIFICATION_OF> }>;

/**
 * A notice of an event that causes a notification. It only has references, so that nothing personal
 * leaves the database through the broker. Recipients and text are determined when the mail is sent.
 */
export const Notice = z.strictObject({
  /** The log event's id, also the broker's message id. */
  id: z.uuid(),
  type: NotificationType,
  /** The event's place in the log. */
  stream: z.string(),
  revision: z.int().nonnegative(),
});
export type Notice = z.infer<typeof Notice>;

/** The webhook's body (`contracts/docs/administration.md`, Mails). */
export const WebhookBody = z.strictObject({
  /** Email address of the recipient. */
  to: z.string(),
  subject: z.string(),
  /** Plain text. */
  message: z.string(),
  type: z.enum([...NOTIFICATION_TYPES, "alert"]),
  /** The same in every attempt, so that a receiver can drop repetitions. */
  id: z.uuid(),
  /** Time of this attempt. */
  timestamp: z.iso.datetime({ precision: 3 }),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

/** `sha256=<hex HMAC-SHA256 of the body>`, with the configured secret. */
export const SIGNATURE_HEADER = "X-Webhook-Signature";
