import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import {
  evolveReservation,
  FREE,
  type ReservationEvent,
  reserveEmail,
} from "#services/domain/account/email-reservation.ts";

const emailHmac = "h";
const reserved = (userId: string): ReservationEvent => ({
  type: "EmailReserved",
  data: { emailHmac, userId },
});
const released = (userId: string): ReservationEvent => ({
  type: "EmailReleased",
  data: { emailHmac, userId },
});
const given = (...events: ReservationEvent[]) => events.reduce(evolveReservation, FREE);

describe("reserving an email address", () => {
  test("reserving an email address reserves a free address", () => {
    const command = { emailHmac, userId: "b", closedHolder: null };
    expect(reserveEmail(given(), command)).toEqual([reserved("b")]);
  });

  test("reserving an email address reserves an address that was released", () => {
    const command = { emailHmac, userId: "b", closedHolder: null };
    expect(reserveEmail(given(reserved("a"), released("a")), command)).toEqual([reserved("b")]);
  });

  test("reserving an email address takes the address from a holder whose account is closed", () => {
    const command = { emailHmac, userId: "b", closedHolder: "a" };
    expect(reserveEmail(given(reserved("a")), command)).toEqual([released("a"), reserved("b")]);
  });

  test.each([
    ["is another's", null],
    ["was meanwhile taken over by another", "z"],
  ])(
    "reserving an email address is refused as a conflict when the address %s",
    (_, closedHolder) => {
      const command = { emailHmac, userId: "b", closedHolder };
      expect(() => reserveEmail(given(reserved("a")), command)).toThrow(
        new Refusal("CONFLICT", "User with this email already exists"),
      );
    },
  );
});
