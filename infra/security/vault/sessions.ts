import { type CommonQueryMethods, sql } from "slonik";

export type NewSession = {
  /** UUID. */
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Begins a session and notes the login; the user's sessions that have ended are cleared away. */
export async function beginSession(
  pool: CommonQueryMethods,
  { sessionId, userId, createdAt, expiresAt }: NewSession,
): Promise<void> {
  const now = sql.fragment`${createdAt.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    with noted as (
      update vault.credentials set last_login_at = ${now} where user_id = ${userId}
    ), cleared as (
      delete from vault.sessions
      where user_id = ${userId} and (expires_at <= ${now} or revoked_at is not null)
    )
    insert into vault.sessions (id, user_id, created_at, expires_at)
    values (${sessionId}::uuid, ${userId}, ${now}, ${expiresAt.toISOString()}::timestamptz)`);
}

/** Ends a session: its token is refused from then on. Ending it twice is the same as once. */
export async function revokeSession(
  pool: CommonQueryMethods,
  sessionId: string,
  at: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    update vault.sessions set revoked_at = ${at.toISOString()}::timestamptz
    where id = ${sessionId}::uuid and revoked_at is null`);
}
