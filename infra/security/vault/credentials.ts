import { createSecretKey, type KeyObject } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Statements } from "#infra/postgres/statements.ts";
import { keepingNetwork } from "./known-networks.ts";

export type NewCredentials = {
  readonly userId: string;
  /** See personal-data. */
  readonly personalKey: KeyObject;
  /** Null without a password. */
  readonly passwordHash: string | null;
  readonly at: Date;
};

const UserKey = z.object({ key: z.instanceof(Buffer) });

/** Stores the personal key of a new user, and the password hash if there is one. */
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

const Hash = z.object({ password_hash: z.string().nullable() });
const Changed = z.object({ user_id: z.string() });

/** The Argon2id hash of a user's password; null without one, and when the user's credentials were destroyed. */
export async function readPasswordHash(
  pool: CommonQueryMethods,
  userId: string,
): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(Hash)`
    select password_hash from vault.credentials where user_id = ${userId}`);
  return row?.password_hash ?? null;
}

type NewPassword = {
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
      where user_id = ${userId} and (${insteadOf}::text is null or password_hash = ${insteadOf})
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

/** Users with a personal key but without a row in the read model: deleted, or not yet registered. */
export function listOrphanedKeys(pool: CommonQueryMethods): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select k.user_id from vault.user_keys k
    where not exists (select from read_model.users u where u.id = k.user_id)
    order by k.user_id`);
}

/** Users without a personal key: its database was lost, and replaced by another. */
export function countKeylessUsers(pool: CommonQueryMethods): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.users u
    where not exists (select from vault.user_keys k where k.user_id = u.id)`);
}
