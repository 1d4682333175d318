import type { UserEvent } from "#contracts/domain-events/user-events.ts";

type Row = "account" | "role request";

/**
 * The row that each user event changes; null for events outside the read model, such as reservations
 * of addresses and passwords.
 */
export const CHANGED_ROW = {
  UserRegistered: "account",
  UserRenamed: "account",
  UserRoleChanged: "account",
  UserDeactivated: "account",
  UserReactivated: "account",
  UserDeleted: "account",
  PasswordChanged: null,
  PasswordResetRequested: null,
  RoleRequestSubmitted: "role request",
  RoleRequestReviewed: "role request",
  EmailReserved: null,
  EmailReleased: null,
} as const satisfies Record<UserEvent["type"], Row | null>;

type TypeChanging<R extends Row> = {
  [T in keyof typeof CHANGED_ROW]: (typeof CHANGED_ROW)[T] extends R ? T : never;
}[keyof typeof CHANGED_ROW];

/** The events that change one kind of row. */
export type EventChanging<R extends Row> = Extract<UserEvent, { type: TypeChanging<R> }>;

export function isChanging<R extends Row>(row: R, event: UserEvent): event is EventChanging<R> {
  return CHANGED_ROW[event.type] === row;
}
