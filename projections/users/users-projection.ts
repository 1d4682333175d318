import { sql } from "slonik";
import { z } from "zod";
import { type GroupEvent, groupEvents } from "#contracts/domain-events/group-events.ts";
import type { UserEvent, UserEventData } from "#contracts/domain-events/user-events.ts";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import { PROJECTIONS } from "#contracts/names.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../engine/projection.ts";
import { applyToAccessToken, deleteAccessTokens } from "./access-token-rows.ts";
import { CHANGED_ROW, type EventChanging, isChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";
import { applyToGroup, leaveGroups } from "./group-rows.ts";
import { applyToRoleRequest, deleteRoleRequests } from "./role-request-rows.ts";

/**
 * Accounts, their role requests and their access tokens with decrypted personal data, and groups of accounts: one
 * projection, since approvals and deletions change several.
 */
export const usersProjection: Projection = {
  name: PROJECTIONS.users,
  tables: [
    { name: "users", key: ["id"] },
    { name: "role_requests", key: ["id"] },
    { name: "access_tokens", key: ["id"] },
    { name: "groups", key: ["id"] },
    { name: "group_members", key: ["group_id", "user_id"] },
  ],
  types: [...keysWithValue(CHANGED_ROW), ...Object.keys(groupEvents)],
  subject: (event) => event.stream,
  apply,
};

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    // The subscription returns no other types.
    const event = fromRecorded(recorded) as UserEvent | GroupEvent;
    const { at } = recorded.metadata;
    if (isOfGroup(event)) await applyToGroup(transaction, event, at);
    else if (isChanging("account", event)) await applyToUser(transaction, event, at);
    else if (isChanging("role request", event)) await applyToRoleRequest(transaction, event, at);
    else if (isChanging("access token", event)) await applyToAccessToken(transaction, event, at);
  }
}

function isOfGroup(event: UserEvent | GroupEvent): event is GroupEvent {
  return event.type in groupEvents;
}

type AccountEvent = EventChanging<"account">;
/** Applies one event to its account's row; `at` is the time of the decision, ISO 8601. */
async function applyToUser(
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
