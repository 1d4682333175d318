import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Lookups } from "#infra/postgres/statements.ts";
import { keepingNetwork } from "./known-networks.ts";

const Begun = z.object({ id: z.string() });

export type NewSession = {
  /** UUID. */
  readonly sessionId: string;
  readonly userId: string;
  /** The hash against which the password was verified; null where none was asked for. */
  readonly passwordHash: string | null;
  /** Pseudonym of the network of the sign-in, 32 bytes. */
  readonly networkTag: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/**
 * Creates a session, records the login and its network, and deletes the user's ended sessions.
 * @returns false when the password was changed, or the user deleted, since the verification
 */
export async function beginSession(
  vault: Lookups,
  { sessionId, userId, passwordHash, networkTag, createdAt, expiresAt }: NewSession,
): Promise<boolean> {
  const now = sql.fragment`${createdAt.toISOString()}::timestamptz`;
  const begun = await vault.maybeOne(sql.type(Begun)`
    with noted as (
      update vault.credentials set last_login_at = ${now}
      where user_id = ${userId} and (${passwordHash}::text is null or password_hash = ${passwordHash})
      returning user_id
    ), cleared as (
      delete from vault.sessions
      where user_id = ${userId} and (expires_at <= ${now} or revoked_at is not null)
    ), ${keepingNetwork({ userId, networkTag }, now)}
    insert into vault.sessions (id, user_id, created_at, expires_at)
    select ${sessionId}::uuid, user_id, ${now}, ${expiresAt.toISOString()}::timestamptz from noted
    returning id`);
  return begun !== null;
}

/** Ends a session: its token is refused from then on. Repetitions have no effect. */
export async function revokeSession(
  pool: CommonQueryMethods,
  sessionId: string,
  at: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    update vault.sessions set revoked_at = ${at.toISOString()}::timestamptz
    where id = ${sessionId}::uuid and revoked_at is null`);
}

/** Ends all sessions of a user and destroys the reset tokens. */
export async function endSessions(
  pool: CommonQueryMethods,
  userId: string,
  at: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    with spent as (
      delete from vault.reset_tokens where user_id = ${userId} and used_at is null
    )
    update vault.sessions set revoked_at = ${at.toISOString()}::timestamptz
    where user_id = ${userId} and revoked_at is null`);
}
