import { createHash, randomBytes } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { HOUR_MS } from "#contracts/units.ts";

const TOKEN_BYTES = 32;
/** How long links work by which a password is reset, and by which a new account gets its first. */
export const RESET_MS = HOUR_MS;
export const INVITATION_MS = 7 * 24 * HOUR_MS;

const Owner = z.object({ user_id: z.string() });

/**
 * Creates a password reset token; only its hash is stored. Earlier tokens of the
 * user stay valid, so of several mails any can be used first.
 * @returns the token, base64url; null when the user has no credentials any more
 */
export async function issueResetToken(
  pool: CommonQueryMethods,
  userId: string,
  at: Date,
  lifetimeMs: number,
): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  const row = await pool.maybeOne(sql.type(Owner)`
    insert into vault.reset_tokens (token_hash, user_id, created_at, expires_at)
    select ${sql.binary(hashOf(token))}, user_id,
      ${at.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz
    from vault.credentials where user_id = ${userId}
    returning user_id`);
  return row === null ? null : token;
}

/** The user of a token that can be used still; null for any other. */
export async function ownerOfResetToken(
  pool: CommonQueryMethods,
  token: string,
  at: Date,
): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(Owner)`
    select user_id from vault.reset_tokens
    where token_hash = ${sql.binary(hashOf(token))} and used_at is null
      and expires_at > ${at.toISOString()}::timestamptz`);
  return row?.user_id ?? null;
}

/**
 * Uses up a token and all other tokens of its user. Of two concurrent uses one succeeds.
 * @returns the user's id; null when the token is unknown, used or expired
 */
export async function consumeResetToken(
  pool: CommonQueryMethods,
  token: string,
  at: Date,
): Promise<string | null> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const row = await pool.maybeOne(sql.type(Owner)`
    with consumed as (
      update vault.reset_tokens set used_at = ${now}
      where token_hash = ${sql.binary(hashOf(token))} and used_at is null and expires_at > ${now}
      returning user_id
    ), spent as (
      delete from vault.reset_tokens r using consumed c
      where r.user_id = c.user_id and r.token_hash <> ${sql.binary(hashOf(token))}
    )
    select user_id from consumed`);
  return row?.user_id ?? null;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
