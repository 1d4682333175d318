import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { Catalogue } from "#contracts/http/catalogues.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isoMilliseconds, uuidOrNull } from "./sql-values.ts";

const CATALOGUE_COLUMNS = sql.fragment`
  id, name, ${isoMilliseconds("created_at")}, ${isoMilliseconds("updated_at")}, status, event_count,
  min_latitude, max_latitude, min_longitude, max_longitude, min_magnitude, max_magnitude,
  start_time, end_time, is_public, public_from, version, created_by, merge_config, source_catalogues`;

/** One catalogue; null for an unknown or malformed id. */
export async function catalogueById(
  lookups: Lookups,
  catalogueId: string,
): Promise<Catalogue | null> {
  return lookups.maybeOne(sql.type(Catalogue)`
    select ${CATALOGUE_COLUMNS} from read_model.catalogues where id = ${uuidOrNull(catalogueId)}::uuid`);
}

const Publicity = z.object({ is_public: z.boolean() });

/** Whether guests may read the events of a catalogue. @throws Refusal NOT_FOUND */
export async function isPublicCatalogue(lookups: Lookups, catalogueId: string): Promise<boolean> {
  const row = await lookups.maybeOne(sql.type(Publicity)`
    select is_public from read_model.catalogues where id = ${uuidOrNull(catalogueId)}::uuid`);
  if (row === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  return row.is_public;
}

export type CatalogueListQuery = {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Part of the name, in any case. */
  readonly search?: string | undefined;
};

/** A page of all catalogues, newest first, and their number. */
export async function listCatalogues(
  pool: CommonQueryMethods,
  { page, pageSize, search = "" }: CatalogueListQuery,
): Promise<{ catalogues: readonly Catalogue[]; total: number }> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const matching = search === "" ? sql.fragment`true` : sql.fragment`name ilike ${pattern}`;
  const { total } = await pool.one(sql.type(z.object({ total: z.int() }))`
    select count(*) as total from read_model.catalogues where ${matching}`);
  const catalogues = await pool.any(sql.type(Catalogue)`
    select ${CATALOGUE_COLUMNS} from read_model.catalogues c where ${matching}
    order by c.created_at desc, c.id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`);
  return { catalogues, total };
}
