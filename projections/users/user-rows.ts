import { createSecretKey } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { decryptPersonal } from "#infra/security/personal-data.ts";
import type { Transaction } from "../engine/projection.ts";
import type { EventChanging } from "./changed-row.ts";

type AccountEvent = EventChanging<"account">;
/** Applies one event to its account's row; `at` is the time of the decision, ISO 8601. */
export async function applyToUser(
  transaction: Transaction,
  event: AccountEvent,
  at: string,
): Promise<void> {
  switch (event.type) {
    case "UserRegistered":
      return insertUser(transaction, event.data, at);
    case "UserRenamed": {
      const { userId, nameEncrypted } = event.data;
      const decrypt = await decrypter(transaction, userId);
      return set(transaction, userId, "name", decrypt(nameEncrypted), at);
    }
    case "UserRoleChanged":
      return set(transaction, event.data.userId, "role", event.data.role, at);
    case "UserDeactivated":
      return set(transaction, event.data.userId, "is_active", false, at);
    case "UserReactivated":
      return set(transaction, event.data.userId, "is_active", true, at);
    case "UserDeleted":
      await deleteRoleRequests(transaction, event.data.userId);
      await transaction.run(sql.unsafe`delete from users where id = ${event.data.userId}`);
      return;
    default:
      return unknownCase(event);
  }
}

/**
 * A user without a key becomes inactive, with at most a viewer's rights: either a deletion follows
 * in the log, or the key was lost with its database.
 */
async function insertUser(
  transaction: Transaction,
  { userId, emailEncrypted, nameEncrypted, emailHmac, role }: UserEventData<"UserRegistered">,
  at: string,
): Promise<void> {
  const decrypt = await decrypter(transaction, userId);
  await transaction.run(sql.prepared("insert_user", z.unknown())`
    insert into users
      (id, email, email_hmac, name, role, is_active, email_verified, created_at, updated_at)
    select ${userId}::text, ${decrypt(emailEncrypted)}, ${emailHmac}, ${decrypt(nameEncrypted)},
      case when has_key then ${role} else 'viewer' end, has_key, false,
      ${at}::timestamptz, ${at}::timestamptz
    from (select exists (select from vault.user_keys where user_id = ${userId}) as has_key) known`);
}

async function set(
  transaction: Transaction,
  userId: string,
  column: "name" | "role" | "is_active",
  value: string | boolean,
  at: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    update users set ${sql.identifier([column])} = ${value}, updated_at = ${at}
    where id = ${userId} and exists (select from vault.user_keys where user_id = ${userId})`);
}

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

/** Deletes the requests of a deleted account. */
async function deleteRoleRequests(transaction: Transaction, userId: string): Promise<void> {
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

/** Replaces personal data whose key was destroyed; a deletion follows in the log. */
const FORGOTTEN = "[deleted]";

const KeyRow = z.object({ key: z.instanceof(Buffer) });

/** Returns a function that decrypts a user's texts, even after the key was destroyed. */
async function decrypter(
  transaction: Transaction,
  userId: string,
): Promise<(encrypted: string) => string> {
  const row = await transaction.maybeOne(sql.prepared("user_key", KeyRow)`
    select key from vault.user_keys where user_id = ${userId}`);
  if (row === null) return () => FORGOTTEN;
  const key = createSecretKey(row.key);
  return (encrypted) => decryptPersonal(key, encrypted);
}
