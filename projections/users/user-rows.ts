import type { Transaction } from "../projection.ts";
import type { EventChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";
import { deleteRoleRequests } from "./role-request-rows.ts";

type AccountEvent = EventChanging<"account">;
type DataOf<T extends AccountEvent["type"]> = Extract<AccountEvent, { type: T }>["data"];

/** Applies one event to the row of its account; `at` is when it was decided, ISO 8601. */
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
      await transaction.query("delete from users where id = $1", [event.data.userId]);
      return;
    default: {
      const unknown: never = event;
      throw new Error(`unknown event: ${JSON.stringify(unknown)}`);
    }
  }
}

/**
 * A user whose key is gone stays inactive and without more than a viewer's rights: a deletion follows
 * in the log, or the key was lost with its database.
 */
async function insertUser(
  transaction: Transaction,
  { userId, emailEncrypted, nameEncrypted, emailHmac, role }: DataOf<"UserRegistered">,
  at: string,
): Promise<void> {
  const decrypt = await decrypter(transaction, userId);
  await transaction.query({
    name: "insert_user",
    text: `insert into users
       (id, email, email_hmac, name, role, is_active, email_verified, created_at, updated_at)
     select $1::text, $2, $3, $4, case when has_key then $5 else 'viewer' end, has_key, false, $6, $6
     from (select exists (select from vault.user_keys where user_id = $1) as has_key) known`,
    values: [userId, decrypt(emailEncrypted), emailHmac, decrypt(nameEncrypted), role, at],
  });
}

async function set(
  transaction: Transaction,
  userId: string,
  column: "name" | "role" | "is_active",
  value: string | boolean,
  at: string,
): Promise<void> {
  await transaction.query(
    `update users set ${column} = $2, updated_at = $3
     where id = $1 and exists (select from vault.user_keys where user_id = $1)`,
    [userId, value, at],
  );
}
