/** What is kept of merges beside the read model, once their catalogues are gone. */
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

const TABLES = ["merge_pair_sets", "merge_pairs", "merge_review", "merge_follows"];

/** Ids of catalogues of which something is kept, though the read model has none of them. */
export async function leftMerges(
  pool: Pick<CommonQueryMethods, "anyFirst">,
): Promise<readonly string[]> {
  const kept = TABLES.map(
    (table) =>
      sql.fragment`select catalogue_id as id from ${sql.identifier(["operations", table])}`,
  );
  return pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    select id from (${sql.join(kept, sql.fragment` union `)}) kept
    where not exists (select from read_model.catalogues c where c.id = kept.id)`);
}

export async function forgetMerge(
  pool: Pick<CommonQueryMethods, "query">,
  catalogueId: string,
): Promise<void> {
  for (const table of TABLES) {
    await pool.query(sql.unsafe`
      delete from ${sql.identifier(["operations", table])} where catalogue_id = ${catalogueId}`);
  }
}
