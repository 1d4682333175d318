import { createHash } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { MadeShare, Share } from "#contracts/http/shares.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";

const FoundShare = z.object({
  shareId: z.uuid(),
  catalogueId: z.uuid(),
  usedLately: z.boolean(),
});

/** The shares of a catalogue, newest first, also expired ones. */
export function listShares(
  pool: CommonQueryMethods,
  catalogueId: string,
): Promise<readonly Share[]> {
  return pool.any(sql.type(Share)`
    select id, label, ${isoTimes("created_at", "expires_at", "last_used")}
    from read_model.shares s left join vault.share_uses u on u.share_id = s.id
    where catalogue_id = ${catalogueId}::uuid
    order by s.created_at desc, s.id`);
}

/** More than anybody shares; who has made more finds the others with their catalogues. */
const MOST_MADE = 1_000;

/** The shares that a user has made and that are good still, newest first, of catalogues that are there for a reader. */
export function listSharesMadeBy(
  pool: CommonQueryMethods,
  userId: string,
  reader: Reader,
  now: Date,
): Promise<readonly MadeShare[]> {
  return pool.any(sql.type(MadeShare)`
    select s.id, s.label, ${isoTimes("s.created_at", "s.expires_at", "u.last_used")},
      c.id as catalogue_id, c.name as catalogue_name
    from read_model.shares s join read_model.catalogues c on c.id = s.catalogue_id
      left join vault.share_uses u on u.share_id = s.id
    where s.made_by = ${userId} and ${isThereFor(reader, "c")}
      and (s.expires_at is null or s.expires_at > ${now.toISOString()}::timestamptz)
    order by s.created_at desc, s.id limit ${MOST_MADE}`);
}

/** The SHA-256 of a share's secret, by which it is known; hex. */
export function shareHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/**
 * The catalogue of the share with a secret; null when the share is unknown, ended or expired. Its use
 * is noted, once a minute at most.
 */
export async function useShare(
  pool: CommonQueryMethods,
  lookups: Lookups,
  secret: string,
  now: Date,
): Promise<string | null> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const hash = shareHash(secret);
  const share = await lookups.maybeOne(sql.type(FoundShare)`
    select s.id as "shareId", s.catalogue_id as "catalogueId",
      coalesce(u.last_used > ${at} - interval '1 minute', false) as "usedLately"
    from read_model.shares s left join vault.share_uses u on u.share_id = s.id
    where s.secret_hash = decode(${hash}, 'hex') and (s.expires_at is null or s.expires_at > ${at})`);
  if (share === null) return null;
  const { shareId, catalogueId, usedLately } = share;
  if (!usedLately) {
    await pool.query(sql.unsafe`
      insert into vault.share_uses (share_id, last_used) values (${shareId}, ${at})
      on conflict (share_id) do update set last_used = excluded.last_used`);
  }
  return catalogueId;
}
