import { createSecretKey, type KeyObject } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Statements } from "#infra/postgres/statements.ts";

export type NewCredentials = {
  readonly userId: string;
  /** See personal-data. */
  readonly personalKey: KeyObject;
  readonly passwordHash: string;
  readonly at: Date;
};

const UserKey = z.object({ key: z.instanceof(Buffer) });

/** Stores the personal key and the password hash of a new user. */
export async function storeCredentials(
  vault: Pick<Statements, "any">,
  { userId, personalKey, passwordHash, at }: NewCredentials,
): Promise<void> {
  await vault.any(sql.unsafe`
    with keyed as (
      insert into vault.user_keys (user_id, key) values (${userId}, ${sql.binary(personalKey.export())})
    )
    insert into vault.credentials (user_id, password_hash, updated_at)
    values (${userId}, ${passwordHash}, ${at.toISOString()}::timestamptz)`);
}

/** The key of a user's personal data; null when it was destroyed. */
export async function readPersonalKey(
  pool: CommonQueryMethods,
  userId: string,
): Promise<KeyObject | null> {
  const row = await pool.maybeOne(sql.type(UserKey)`
    select key from vault.user_keys where user_id = ${userId}`);
  return row && createSecretKey(row.key);
}

/** Destroys the personal key, and with it the password hash, the sessions and the reset tokens. */
export async function forgetUser(pool: CommonQueryMethods, userId: string): Promise<void> {
  await pool.query(sql.unsafe`delete from vault.user_keys where user_id = ${userId}`);
}
