import { sql } from "slonik";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";
import type { EventChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";

type RoleRequestEvent = EventChanging<"role request">;

/** Applies one event to its role request's row; `at` is the time of the decision, ISO 8601. */
export async function applyToRoleRequest(
  transaction: Transaction,
  event: RoleRequestEvent,
  at: string,
): Promise<void> {
  switch (event.type) {
    case "RoleRequestSubmitted":
      return insertRequest(transaction, event.data, at);
    case "RoleRequestReviewed":
      return reviewRequest(transaction, event.data, at);
    default:
      return unknownCase(event);
  }
}

export async function deleteRoleRequests(transaction: Transaction, userId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from role_requests where user_id = ${userId}`);
}

async function insertRequest(
  transaction: Transaction,
  data: UserEventData<"RoleRequestSubmitted">,
  at: string,
): Promise<void> {
  const { userId, roleRequestId, currentRole, requestedRole, justificationEncrypted } = data;
  const decrypt = await decrypter(transaction, userId);
  await transaction.run(sql.unsafe`
    insert into role_requests
      (id, user_id, role_before, requested_role, justification, status, created_at, updated_at)
    values (${roleRequestId}, ${userId}, ${currentRole}, ${requestedRole},
      ${decrypt(justificationEncrypted)}, 'pending', ${at}, ${at})`);
}

async function reviewRequest(
  transaction: Transaction,
  data: UserEventData<"RoleRequestReviewed">,
  at: string,
): Promise<void> {
  const { userId, roleRequestId, status, reviewedBy, adminNotesEncrypted } = data;
  const decrypt = await decrypter(transaction, userId);
  const notes = adminNotesEncrypted === null ? null : decrypt(adminNotesEncrypted);
  await transaction.run(sql.unsafe`
    update role_requests
    set status = ${status}, reviewed_by = ${reviewedBy}, admin_notes = ${notes},
      reviewed_at = ${at}, updated_at = ${at}
    where id = ${roleRequestId}`);
}
