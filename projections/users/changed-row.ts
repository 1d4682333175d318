import type { UserEvent } from "#contracts/domain-events/user-events.ts";

type RowKind = "account" | "role request" | "access token";

/**
 * The row that each user event changes; null for events outside the read model, such as reservations
 * of addresses and passwords.
 */
export const CHANGED_ROW = {
  UserRegistered: "account",
  ApprovalRequested: "account",
  UserInvited: null,
  UserRenamed: "account",
  UserRoleChanged: "account",
  IdentityTied: "account",
  UserDeactivated: "account",
  UserReactivated: "account",
  UserDeleted: "account",
  PasswordChanged: null,
  PasswordResetRequested: null,
  RoleRequestSubmitted: "role request",
  RoleRequestReviewed: "role request",
  AccessTokenCreated: "access token",
  AccessTokenEnded: "access token",
  EmailReserved: null,
  EmailReleased: null,
} as const satisfies Record<UserEvent["type"], RowKind | null>;

type TypeChanging<R extends RowKind> = {
  [T in keyof typeof CHANGED_ROW]: (typeof CHANGED_ROW)[T] extends R ? T : never;
}[keyof typeof CHANGED_ROW];

export type EventChanging<R extends RowKind> = Extract<UserEvent, { type: TypeChanging<R> }>;

export function isChanging<R extends RowKind>(row: R, event: UserEvent): event is EventChanging<R> {
  return CHANGED_ROW[event.type] === row;
}
