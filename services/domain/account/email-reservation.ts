/** The owner of an email address: the stream `email-<hmac>` makes addresses unique. */
import type { UserEvent } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { EMAIL_IN_USE } from "./decide.ts";

export type ReservationEvent = Extract<UserEvent, { type: "EmailReserved" | "EmailReleased" }>;

/** `holder` is a user id; null for a free address. */
export type ReservationState = { readonly holder: string | null };

export const FREE: ReservationState = { holder: null };

export function evolveReservation(
  _state: ReservationState,
  event: ReservationEvent,
): ReservationState {
  switch (event.type) {
    case "EmailReserved":
      return { holder: event.data.userId };
    case "EmailReleased":
      return FREE;
    default:
      return unknownCase(event);
  }
}

export type ReserveEmail = {
  readonly emailHmac: string;
  readonly userId: string;
  /** A holder whose account is known to be closed and loses the address. */
  readonly closedHolder: string | null;
};

export function reserveEmail(
  { holder }: ReservationState,
  { emailHmac, userId, closedHolder }: ReserveEmail,
): ReservationEvent[] {
  const reserved: ReservationEvent = { type: "EmailReserved", data: { emailHmac, userId } };
  if (holder === null) return [reserved];
  if (holder !== closedHolder) throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return [{ type: "EmailReleased", data: { emailHmac, userId: holder } }, reserved];
}

/** Frees an address if it belongs to the user. */
export function releaseEmail(
  { holder }: ReservationState,
  { emailHmac, userId }: { readonly emailHmac: string; readonly userId: string },
): ReservationEvent[] {
  return holder === userId ? [{ type: "EmailReleased", data: { emailHmac, userId } }] : [];
}
