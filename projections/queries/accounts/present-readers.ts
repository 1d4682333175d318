import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isThereForUser } from "../rights/reader-rights.ts";

/** What is read by a session, or by an access token. */
export type SignedReading = {
  /** Of the session or of the token. */
  readonly by: string;
  readonly catalogueId: string;
};

/** By which such a reading is among those that are present. */
export function readingKey({ by, catalogueId }: SignedReading): string {
  return `${by} ${catalogueId}`;
}

/**
 * Those who read something for a long time: by session, by access token (ids), by the hash (hex) of a share's
 * secret, or as guests.
 */
export type Readers = {
  readonly sessions: readonly SignedReading[];
  readonly tokens: readonly SignedReading[];
  readonly shares: readonly string[];
  /** Catalogues that guests read. */
  readonly opened: readonly string[];
};

const PresentReader = z.object({ id: z.string() });

/**
 * Who of them may still read: sessions and tokens that have neither ended nor expired, whose user is active and for
 * whom the catalogue is there, each with the catalogue; shares that have neither ended nor expired, catalogues that
 * are public.
 */
export async function presentReaders(
  pool: CommonQueryMethods,
  { sessions, tokens, shares, opened }: Readers,
  now: Date,
): Promise<ReadonlySet<string>> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const hashes = shares.map((hash) => Buffer.from(hash, "hex"));
  const rows = await pool.any(sql.type(PresentReader)`
    select s.id::text || ' ' || c.id::text as id
    from ${rowsOf(sessions)}
    join vault.sessions s on s.id = r.reader
    join read_model.users u on u.id = s.user_id
    join read_model.catalogues c on c.id = r.catalogue
    where s.revoked_at is null and s.expires_at > ${at} and u.is_active and ${isThereForUser("c", "u")}
    union all
    select t.id::text || ' ' || c.id::text
    from ${rowsOf(tokens)}
    join read_model.access_tokens t on t.id = r.reader
    join read_model.users u on u.id = t.user_id
    join read_model.catalogues c on c.id = r.catalogue
    where t.ended_at is null and t.expires_at > ${at} and u.is_active
      and ${isThereForUser("c", "u", sql.fragment`'admin' = any(t.scopes)`)}
      and (t.catalogues is null or c.id = any(t.catalogues))
    union all
    select encode(secret_hash, 'hex') from read_model.shares
    where secret_hash = any(${sql.array(hashes, "bytea")})
      and (expires_at is null or expires_at > ${at})
    union all
    select id::text from read_model.catalogues
    where id = any(${sql.array([...opened], "uuid")}) and is_public`);
  return new Set(rows.map(({ id }) => id));
}

function rowsOf(readings: readonly SignedReading[]): FragmentSqlToken {
  const of = (name: keyof SignedReading) =>
    sql.array(
      readings.map((reading) => reading[name]),
      "uuid",
    );
  return sql.fragment`unnest(${of("by")}, ${of("catalogueId")}) r(reader, catalogue)`;
}
