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

/** What each event of users is called as a notification; null where nobody is told of it. */
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

/** The events that somebody is told of. */
export type NotifiedEvent = Extract<UserEvent, { type: KeyWithValue<typeof NOTIFICATION_OF> }>;

/**
 * That somebody has to be told of an event: references only, so that no address, name or secret
 * leaves the database by the broker. Who is told, and what, is found out when the mail is sent.
 */
export const Notice = z.strictObject({
  /** The id of the log event; the broker's message id too. */
  id: z.uuid(),
  type: NotificationType,
  /** Where the event is in the log. */
  stream: z.string(),
  revision: z.int().nonnegative(),
});
export type Notice = z.infer<typeof Notice>;
