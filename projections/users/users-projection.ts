import { PROJECTIONS } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../projection.ts";
import { applyToRoleRequest, type RoleRequestEvent } from "./role-request-rows.ts";
import { type AccountEvent, applyToUser } from "./user-rows.ts";

/**
 * Accounts and their role requests, with personal data decrypted: in one projection, since an
 * approval and a deletion change both. Reservations of addresses change no row.
 */
export const usersProjection: Projection = {
  name: PROJECTIONS.users,
  tables: [
    { name: "users", key: ["id"] },
    { name: "role_requests", key: ["id"] },
  ],
  types: [
    "UserRegistered",
    "UserRenamed",
    "UserRoleChanged",
    "UserDeactivated",
    "UserReactivated",
    "UserDeleted",
    "RoleRequestSubmitted",
    "RoleRequestReviewed",
  ] satisfies (AccountEvent | RoleRequestEvent)["type"][],
  subject: (event) => event.stream,
  apply,
};

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    const event = fromRecorded(recorded) as AccountEvent | RoleRequestEvent;
    const { at } = recorded.metadata;
    if (event.type === "RoleRequestSubmitted" || event.type === "RoleRequestReviewed") {
      await applyToRoleRequest(transaction, event, at);
    } else await applyToUser(transaction, event, at);
  }
}
