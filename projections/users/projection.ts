import { createSecretKey } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import { unknownCase } from "#contracts/cases.ts";
import {
  type GroupEvent,
  groupEvents,
  type UserEvent,
  type UserEventData,
  userEvents,
} from "#contracts/events/accounts.ts";
import { alertEvents } from "#contracts/events/alerts.ts";
import { PROJECTIONS } from "#contracts/events/log.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { decryptPersonal } from "#infra/vault/personal-data.ts";
import type { Projection, Transaction } from "../engine/projection.ts";

/** Replaces personal data whose key was destroyed; a deletion follows in the log. */
const FORGOTTEN = "[deleted]";

const KeyRow = z.object({ key: z.instanceof(Buffer) });

/** They change no row: addresses are reserved, passwords changed and people invited outside the read model. */
const ASIDE = [
  "UserInvited",
  "PasswordChanged",
  "PasswordResetRequested",
  "AlertConfirmationRequested",
  "EmailReserved",
  "EmailReleased",
] as const satisfies readonly UserEvent["type"][];

/**
 * Accounts, their role requests, access tokens and alerts, with decrypted personal data but for alerts, and groups of
 * accounts: one projection, since approvals and deletions change several.
 */
export const usersProjection: Projection = {
  name: PROJECTIONS.users,
  tables: [
    { name: "users", key: ["id"] },
    { name: "role_requests", key: ["id"] },
    { name: "access_tokens", key: ["id"] },
    { name: "alerts", key: ["id"] },
    { name: "groups", key: ["id"] },
    { name: "group_members", key: ["group_id", "user_id"] },
  ],
  types: Object.keys({ ...userEvents, ...groupEvents }).filter(
    (type) => !ASIDE.some((aside) => aside === type),
  ),
  subject: (event) => event.stream,
  apply,
};

type RowEvent = Exclude<UserEvent, { type: (typeof ASIDE)[number] }>;

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    // The subscription returns no other types.
    const event = fromRecorded(recorded) as RowEvent | GroupEvent;
    const { at } = recorded.metadata;
    if (event.type in alertEvents) await applyToAlert(transaction, event as AlertEvent, recorded);
    else if (event.type in groupEvents) await applyToGroup(transaction, event as GroupEvent, at);
    else await applyToAccount(transaction, event as Exclude<RowEvent, AlertEvent>, at);
  }
}

type AlertEvent = Extract<RowEvent, { type: `Alert${string}` }>;

/** One that is made, is confirmed or goes on looks at the versions from then on. */
async function applyToAlert(
  { run }: Transaction,
  { type, data }: AlertEvent,
  { position, metadata: { at } }: Pick<RecordedEvent, "position" | "metadata">,
): Promise<void> {
  const { userId, alertId: id, ...alert } = data;
  if (type === "AlertDeleted") {
    await run(sql.unsafe`delete from alerts where id = ${id}`);
    return;
  }
  const { to, active, catalogues } = data.settings;
  const tells = active && (to === "webhook" || data.isConfirmed);
  await run(sql.unsafe`
    insert into alerts (id, user_id, alert, catalogues, tells, since, created_at, updated_at)
    values (${id}, ${userId}, ${JSON.stringify(alert)}, ${sql.array(catalogues, "uuid")}, ${tells},
      ${position}, ${at}, ${at})
    on conflict (id) do update set alert = excluded.alert, catalogues = excluded.catalogues,
      tells = excluded.tells, updated_at = excluded.updated_at,
      since = case when alerts.tells then alerts.since else excluded.since end`);
}

/** Applies one event to the rows of its account; `at` is the time of the decision, ISO 8601. */
async function applyToAccount(
  transaction: Transaction,
  { type, data }: Exclude<RowEvent, AlertEvent>,
  at: string,
) {
  const { userId } = data;
  switch (type) {
    case "UserRegistered":
      return insertUser(transaction, data, at);
    case "UserRenamed": {
      const decrypt = await decrypter(transaction, userId);
      return set(transaction, userId, "name", decrypt(data.nameEncrypted), at);
    }
    case "UserRoleChanged":
      return set(transaction, userId, "role", data.role, at);
    case "IdentityTied":
      return tieIdentity(transaction, data, at);
    case "ApprovalRequested":
    case "UserDeactivated":
      return set(transaction, userId, "is_active", false, at);
    case "UserReactivated":
      return set(transaction, userId, "is_active", true, at);
    case "UserDeleted":
      for (const table of ["role_requests", "access_tokens", "alerts", "group_members"]) {
        await transaction.run(
          sql.unsafe`delete from ${sql.identifier([table])} where user_id = ${userId}`,
        );
      }
      await transaction.run(sql.unsafe`delete from users where id = ${userId}`);
      return;
    case "RoleRequestSubmitted":
      return insertRequest(transaction, data, at);
    case "RoleRequestReviewed":
      return reviewRequest(transaction, data, at);
    case "AccessTokenCreated":
      return insertToken(transaction, data, at);
    case "AccessTokenEnded":
      await transaction.run(sql.unsafe`
        update access_tokens set ended_at = ${at} where id = ${data.tokenId}`);
      return;
    default:
      return unknownCase(type);
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

async function insertToken(
  transaction: Transaction,
  data: UserEventData<"AccessTokenCreated">,
  at: string,
): Promise<void> {
  const { userId, tokenId, scopes, catalogues, secretHash, expiresAt } = data;
  const decrypt = await decrypter(transaction, userId);
  await transaction.run(sql.unsafe`
    insert into access_tokens
      (id, user_id, name, scopes, catalogues, secret_hash, ha1, created_at, expires_at)
    values (${tokenId}, ${userId}, ${decrypt(data.nameEncrypted)}, ${sql.array(scopes, "text")},
      ${catalogues && sql.array(catalogues, "uuid")}, decode(${secretHash}, 'hex'),
      ${decrypt(data.ha1Encrypted)}, ${at}, ${expiresAt})`);
}

/** Applies one event to its group's rows; `at` is the time of the decision, ISO 8601. */
async function applyToGroup(transaction: Transaction, { type, data }: GroupEvent, at: string) {
  const { groupId } = data;
  switch (type) {
    case "GroupCreated":
      await transaction.run(sql.unsafe`
        insert into groups (id, name, created_at, updated_at)
        values (${groupId}, ${data.name}, ${at}, ${at})`);
      return setMembers(transaction, groupId, data.members);
    case "GroupRenamed":
      await transaction.run(sql.unsafe`
        update groups set name = ${data.name}, updated_at = ${at} where id = ${groupId}`);
      return;
    case "GroupMembersChanged":
      await transaction.run(sql.unsafe`
        update groups set updated_at = ${at} where id = ${groupId}`);
      return setMembers(transaction, groupId, data.members);
    case "GroupDeleted":
      await transaction.run(sql.unsafe`delete from groups where id = ${groupId}`);
      return setMembers(transaction, groupId, []);
    default:
      return unknownCase(type);
  }
}

/** Whoever was deleted meanwhile is left out. */
async function setMembers(transaction: Transaction, groupId: string, members: readonly string[]) {
  await transaction.run(sql.unsafe`delete from group_members where group_id = ${groupId}`);
  await transaction.run(sql.unsafe`
    insert into group_members (group_id, user_id)
    select ${groupId}, id from users where id = any(${sql.array([...members], "text")})`);
}

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
