import {
  evolveReservation,
  FREE,
  type ReservationEvent,
  type ReservationState,
} from "#services/domain/account/email-reservation.ts";
import type { DecisionModel } from "../decide-on-stream.ts";

/** How the stream of an email address is folded. */
export const reservationModel: DecisionModel<ReservationState, ReservationEvent> = {
  initial: FREE,
  evolve: evolveReservation,
};
