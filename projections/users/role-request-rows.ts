import type { Transaction } from "../projection.ts";
import type { EventChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";

type RoleRequestEvent = EventChanging<"role request">;
type DataOf<T extends RoleRequestEvent["type"]> = Extract<RoleRequestEvent, { type: T }>["data"];

/** Applies one event to the row of its role request; `at` is when it was decided, ISO 8601. */
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
    default: {
      const unknown: never = event;
      throw new Error(`unknown event: ${JSON.stringify(unknown)}`);
    }
  }
}

/** A deleted account leaves no request behind. */
export async function deleteRoleRequests(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query("delete from role_requests where user_id = $1", [userId]);
}

async function insertRequest(
  transaction: Transaction,
  data: DataOf<"RoleRequestSubmitted">,
  at: string,
): Promise<void> {
  const { userId, roleRequestId, currentRole, requestedRole, justificationEncrypted } = data;
  const decrypt = await decrypter(transaction, userId);
  await transaction.query(
    `insert into role_requests
       (id, user_id, role_before, requested_role, justification, status, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $6)`,
    [roleRequestId, userId, currentRole, requestedRole, decrypt(justificationEncrypted), at],
  );
}

async function reviewRequest(
  transaction: Transaction,
  data: DataOf<"RoleRequestReviewed">,
  at: string,
): Promise<void> {
  const { userId, roleRequestId, status, reviewedBy, adminNotesEncrypted } = data;
  const decrypt = await decrypter(transaction, userId);
  const notes = adminNotesEncrypted === null ? null : decrypt(adminNotesEncrypted);
  await transaction.query(
    `update role_requests
     set status = $2, reviewed_by = $3, admin_notes = $4, reviewed_at = $5, updated_at = $5
     where id = $1`,
    [roleRequestId, status, reviewedBy, notes, at],
  );
}
