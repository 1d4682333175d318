import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

/** A version by its content too: after the log was restored its number may stand for other events. */
export type HashedContent = {
  readonly catalogueId: string;
  readonly version: number;
  readonly contentHash: string;
};

const Hash = z.object({ sha256: z.string() });

/** The remembered SHA-256 of a version's canonical form, hex; null where nobody has asked for it yet. */
export async function rememberedHash(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  { catalogueId, version, contentHash }: HashedContent,
): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(Hash)`
    select sha256 from operations.version_hashes
    where catalogue_id = ${catalogueId}::uuid and version = ${version}
      and content_hash = ${contentHash}`);
  return row?.sha256 ?? null;
}

export async function rememberHash(
  pool: Pick<CommonQueryMethods, "query">,
  { catalogueId, version, contentHash }: HashedContent,
  sha256: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.version_hashes (catalogue_id, version, content_hash, sha256)
    values (${catalogueId}::uuid, ${version}, ${contentHash}, ${sha256})
    on conflict do nothing`);
}

const Remembered = z.object({
  catalogueId: z.string(),
  version: z.int(),
  contentHash: z.string(),
  sha256: z.string(),
});

export function allRememberedHashes(pool: Pick<CommonQueryMethods, "any">) {
  return pool.any(sql.type(Remembered)`
    select catalogue_id as "catalogueId", version, content_hash as "contentHash", sha256
    from operations.version_hashes order by catalogue_id, version`);
}
