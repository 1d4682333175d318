import { PROJECTIONS } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../projection.ts";
import { type AccountEvent, applyToUser } from "./user-rows.ts";

/** Accounts, with email and name decrypted. Reservations of addresses change no row. */
export const usersProjection: Projection = {
  name: PROJECTIONS.users,
  types: [
    "UserRegistered",
    "UserRenamed",
    "UserRoleChanged",
    "UserDeactivated",
    "UserReactivated",
    "UserDeleted",
  ] satisfies AccountEvent["type"][],
  subject: (event) => event.stream,
  apply,
};

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    await applyToUser(transaction, fromRecorded(recorded) as AccountEvent, recorded.metadata.at);
  }
}
