import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { keepingNetwork } from "./known-networks.ts";

const Hash = z.object({ password_hash: z.string() });
const Changed = z.object({ user_id: z.string() });

/** The Argon2id hash of a user's password; null when the user was forgotten. */
export async function readPasswordHash(
  pool: CommonQueryMethods,
  userId: string,
): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(Hash)`
    select password_hash from vault.credentials where user_id = ${userId}`);
  return row?.password_hash ?? null;
}

export type NewPassword = {
  readonly userId: string;
  readonly passwordHash: string;
  /** The hash it must still be, null for whatever it is. */
  readonly insteadOf: string | null;
  /** Session that stays, UUID; null ends every one. */
  readonly keepSession: string | null;
  /** Names the network that it came from, 32 bytes: it counts as one signed in from. */
  readonly networkTag: Buffer;
  readonly at: Date;
};

/**
 * Replaces the password, ends the user's sessions and destroys their reset tokens.
 * For use in a transaction: the first statement waits for logins under way, so that the second sees
 * the sessions that they began.
 * @returns false when the user was forgotten or the password meanwhile replaced by another
 */
export async function replacePassword(
  transaction: CommonQueryMethods,
  { userId, passwordHash, insteadOf, keepSession, networkTag, at }: NewPassword,
): Promise<boolean> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const changed = await transaction.maybeOne(sql.type(Changed)`
    with noted as (
      update vault.credentials set password_hash = ${passwordHash}, updated_at = ${now}
      where user_id = ${userId} and password_hash = coalesce(${insteadOf}, password_hash)
      returning user_id
    ), ${keepingNetwork({ userId, networkTag }, now)}
    select user_id from noted`);
  if (!changed) return false;
  await transaction.query(sql.unsafe`
    update vault.sessions set revoked_at = ${now}
    where user_id = ${userId} and revoked_at is null
      and id is distinct from ${keepSession}::uuid`);
  // Used ones stay until they expire with their user: they are refused all the same.
  await transaction.query(sql.unsafe`
    delete from vault.reset_tokens where user_id = ${userId} and used_at is null`);
  return true;
}
