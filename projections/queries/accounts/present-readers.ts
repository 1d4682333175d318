import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

/**
 * Those who read something for a long time: by session, by access token (ids), by the hash (hex) of a share's
 * secret, or as guests.
 */
export type Readers = {
  readonly sessions: readonly string[];
  readonly tokens: readonly string[];
  readonly shares: readonly string[];
  /** Catalogues that guests read. */
  readonly opened: readonly string[];
};

const PresentReader = z.object({ id: z.string() });

/**
 * Who of them may still read: sessions and tokens that have neither ended nor expired and whose user is
 * active, shares that have neither ended nor expired, catalogues that are public.
 */
export async function presentReaders(
  pool: CommonQueryMethods,
  { sessions, tokens, shares, opened }: Readers,
  now: Date,
): Promise<ReadonlySet<string>> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const hashes = shares.map((hash) => Buffer.from(hash, "hex"));
  const rows = await pool.any(sql.type(PresentReader)`
    select s.id::text as id
    from vault.sessions s join read_model.users u on u.id = s.user_id
    where s.id = any(${sql.array([...sessions], "uuid")}) and s.revoked_at is null
      and s.expires_at > ${at} and u.is_active
    union all
    select t.id::text
    from read_model.access_tokens t join read_model.users u on u.id = t.user_id
    where t.id = any(${sql.array([...tokens], "uuid")}) and t.ended_at is null
      and t.expires_at > ${at} and u.is_active
    union all
    select encode(secret_hash, 'hex') from read_model.shares
    where secret_hash = any(${sql.array(hashes, "bytea")})
      and (expires_at is null or expires_at > ${at})
    union all
    select id::text from read_model.catalogues
    where id = any(${sql.array([...opened], "uuid")}) and is_public`);
  return new Set(rows.map(({ id }) => id));
}
