import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { SCOPES } from "#contracts/access-scopes.ts";
import { AccessToken } from "#contracts/http/accounts/access-tokens.ts";
import { Role } from "#contracts/roles.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { uuidOrNull } from "../sql-values.ts";

/** The access tokens of a user, newest first; expired ones too, ended ones not. */
export function listAccessTokens(
  pool: CommonQueryMethods,
  userId: string,
): Promise<readonly AccessToken[]> {
  return pool.any(sql.type(AccessToken)`
    select t.id, t.name, t.scopes, t.catalogues::text[],
      ${isoTimes("t.created_at", "t.expires_at", "u.last_used")}
    from read_model.access_tokens t left join vault.token_uses u on u.token_id = t.id
    where t.user_id = ${userId} and t.ended_at is null
    order by t.created_at desc, t.id`);
}

const Owner = z.object({ userId: z.string() });

/** The user whose token it is; null for an unknown or ended one. `tokenId` is a UUID. */
export async function ownerOfToken(lookups: Lookups, tokenId: string): Promise<string | null> {
  const row = await lookups.maybeOne(sql.type(Owner)`
    select user_id as "userId" from read_model.access_tokens
    where id = ${tokenId}::uuid and ended_at is null`);
  return row?.userId ?? null;
}

const PresentedToken = z.object({
  id: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  catalogues: z.array(z.string()).nullable(),
  ha1: z.string(),
  /** ISO 8601. */
  expires: z.string(),
  isEnded: z.boolean(),
  isExpired: z.boolean(),
  usedLately: z.boolean(),
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  isActive: z.boolean(),
});

/** An access token with its owner's present state. */
export type PresentedToken = Readonly<z.infer<typeof PresentedToken>>;

/** By what a client names its token: the SHA-256 of its secret in hexadecimal, or its id. */
export type TokenName = { readonly secretHash: string } | { readonly id: string };

/**
 * The token that a client presents, whatever its state; null for an unknown one. Runs on every request
 * with a token: lookups by unique keys.
 */
export function readAccessToken(
  lookups: Lookups,
  token: TokenName,
  now: Date,
): Promise<PresentedToken | null> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const isIt =
    "id" in token
      ? sql.fragment`t.id = ${uuidOrNull(token.id)}::uuid`
      : sql.fragment`t.secret_hash = decode(${token.secretHash}, 'hex')`;
  return lookups.maybeOne(sql.type(PresentedToken)`
    select t.id, t.scopes, t.catalogues::text[], t.ha1, ${isoTime("t.expires_at")} as expires,
      t.ended_at is not null as "isEnded", t.expires_at <= ${at} as "isExpired",
      coalesce(l.last_used > ${at} - interval '1 minute', false) as "usedLately",
      u.id as "userId", u.email, u.name, u.role, u.is_active as "isActive"
    from read_model.access_tokens t
      join read_model.users u on u.id = t.user_id
      left join vault.token_uses l on l.token_id = t.id
    where ${isIt}`);
}

/** Notes that a token is used now. */
export async function noteTokenUse(
  pool: CommonQueryMethods,
  { id, userId }: Pick<PresentedToken, "id" | "userId">,
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into vault.token_uses (token_id, user_id, last_used)
    select ${id}::uuid, user_id, ${now.toISOString()}::timestamptz
    from vault.user_keys where user_id = ${userId}
    on conflict (token_id) do update set last_used = excluded.last_used`);
}
