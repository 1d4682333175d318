import { type CommonQueryMethods, sql } from "slonik";
import { CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { ResolvedVersion } from "./resolve-version.ts";
import { isoMilliseconds } from "./sql-values.ts";

/** The versions of a catalogue from one to another, newest first, without abandoned revisions. */
export function listVersions(
  pool: CommonQueryMethods,
  { key, version }: ResolvedVersion,
  from: number,
): Promise<readonly CatalogueVersion[]> {
  return pool.any(sql.type(CatalogueVersion)`
    select version, ${isoMilliseconds("created_at")}, cause, actor, added, updated, removed
    from read_model.catalogue_versions v
    where catalogue_key = ${key} and version between ${from} and ${version}
    order by v.version desc`);
}
