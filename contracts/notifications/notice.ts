import { z } from "zod";
import type { UserEvent } from "../domain-events/user-events.ts";
import type { KeyWithValue } from "../keys-with-value.ts";

export const NOTIFICATION_TYPES = [
  "password_reset",
  "role_request_submitted",
  "role_request_reviewed",
] as const;
export const NotificationType = z.enum(NOTIFICATION_TYPES);
export type NotificationType = z.infer<typeof NotificationType>;

/** The notification type for each user event; null for events without a notification. */
export const NOTIFICATION_OF = {
  UserRegistered: null,
  UserRenamed: null,
  UserRoleChanged: null,
  UserDeactivated: null,
  UserReactivated: null,
  UserDeleted: null,
  PasswordChanged: null,
  PasswordResetRequested: "password_reset",
  RoleRequestSubmitted: "role_request_submitted",
  RoleRequestReviewed: "role_request_reviewed",
  EmailReserved: null,
  EmailReleased: null,
} as const satisfies Record<UserEvent["type"], NotificationType | null>;

/** The events that cause notifications. */
export type NotifiedEvent = Extract<UserEvent, { type: KeyWithValue<typeof NOTIFICATION_OF> }>;

/**
 * A notice of an event that causes a notification. It only has references, so that no address, name
 * or secret leaves the database through the broker. Recipients and text are determined when the mail
 * is sent.
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
