import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { keepingNetwork } from "./known-networks.ts";

const Hash = z.object({ password_hash: z.string() });
const Changed = z.object({ user_id: z.string() });

/** The Argon2id hash of a user's password; null when the user's credentials were destroyed. */
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
  /** The hash that must still be current; null for any. */
  readonly insteadOf: string | null;
  /** UUID of the session that stays; null ends all. */
  readonly keepSession: string | null;
  /** Pseudonym of the request's network, 32 bytes; the network counts as signed in from. */
  readonly networkTag: Buffer;
  readonly at: Date;
};

/**
 * Replaces the password, ends the user's sessions and destroys the reset tokens. For use in a
 * transaction: the first statement waits for concurrent logins, so that the second sees their
 * sessions.
 * @returns false when the user's credentials were destroyed, or the password was changed meanwhile
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
  // Used tokens stay until they expire with their user; they are refused anyway.
  await transaction.query(sql.unsafe`
    delete from vault.reset_tokens where user_id = ${userId} and used_at is null`);
  return true;
}
