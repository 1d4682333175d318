import { sql } from "slonik";
import { z } from "zod";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";
import { deleteAccessTokens } from "./access-token-rows.ts";
import type { EventChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";
import { leaveGroups } from "./group-rows.ts";
import { deleteRoleRequests } from "./role-request-rows.ts";

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
    case "IdentityTied":
      return tieIdentity(transaction, event.data, at);
    case "ApprovalRequested":
    case "UserDeactivated":
      return set(transaction, event.data.userId, "is_active", false, at);
    case "UserReactivated":
      return set(transaction, event.data.userId, "is_active", true, at);
    case "UserDeleted":
      await deleteRoleRequests(transaction, event.data.userId);
      await deleteAccessTokens(transaction, event.data.userId);
      await leaveGroups(transaction, event.data.userId);
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

/** The institute has verified the address. */
async function tieIdentity(
  transaction: Transaction,
  { userId, issuer, identityHmac }: UserEventData<"IdentityTied">,
  at: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    update users
    set identity_issuer = ${issuer}, identity_hmac = ${identityHmac}, email_verified = true, updated_at = ${at}
    where id = ${userId} and exists (select from vault.user_keys where user_id = ${userId})`);
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
