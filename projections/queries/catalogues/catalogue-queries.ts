import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ElementTalliesBody } from "#contracts/element-tallies.ts";
import { Refusal } from "#contracts/errors.ts";
import { Catalogue, type CatalogueStatus, CatalogueVersion } from "#contracts/http/catalogue.ts";
import { ImportRecord } from "#contracts/http/import-history.ts";
import { listedName } from "#infra/formats/delimited/listed-name.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { ResolvedVersion } from "../events/resolve-version.ts";
import { type ListPage, type ListRequest, readListPage } from "../long-list.ts";
import { uuidOrNull } from "../sql-values.ts";

const CATALOGUE_COLUMNS = sql.fragment`
  id, name, ${isoTimes("created_at", "updated_at")}, status, event_count,
  min_latitude, max_latitude, min_longitude, max_longitude, min_magnitude, max_magnitude,
  start_time, end_time,
  case when box_west is not null
    then json_build_array(box_west, min_latitude, box_east, max_latitude) end as bbox, is_public, public_from, version, created_by,
  metadata, merge_config, source_catalogues`;

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

const Named = z.object({ id: z.uuid(), name: z.string() });

/**
 * The id of the catalogue that an id names, or that alone among the public ones has a name, in any case.
 * @throws Refusal NOT_FOUND; VALIDATION_ERROR when several have the name
 */
export async function catalogueNamed(pool: CommonQueryMethods, text: string): Promise<string> {
  const id = uuidOrNull(text);
  if (id !== null) return id;
  const named = await pool.any(sql.type(Named)`
    select id, name from read_model.catalogues where is_public`);
  const exact = named.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const listed = named.filter(({ name }) => listedName(name) === listedName(text));
  const [first, second] = exact.length > 0 ? exact : listed;
  if (first === undefined)
    throw new Refusal("NOT_FOUND", "catalog: no public catalogue has this name");
  if (second === undefined) return first.id;
  throw new Refusal("VALIDATION_ERROR", "catalog: several catalogues have this name; use the id");
}

/** All public catalogues, newest first. */
export function publicCatalogues(pool: CommonQueryMethods): Promise<readonly Catalogue[]> {
  return pool.any(sql.type(Catalogue)`
    select ${CATALOGUE_COLUMNS} from read_model.catalogues c where is_public
    order by c.created_at desc, c.id desc`);
}

/** The names of the public catalogues, in order. */
export async function publicCatalogueNames(pool: CommonQueryMethods): Promise<readonly string[]> {
  const rows = await pool.any(sql.type(z.object({ name: z.string() }))`
    select distinct name from read_model.catalogues where is_public order by name`);
  return rows.map(({ name }) => name);
}

type CatalogueListQuery = {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Part of the name, in any case. */
  readonly search?: string | undefined;
  readonly status?: readonly CatalogueStatus[] | undefined;
};

/** A page of the catalogues that match, newest first, and their number. */
export async function listCatalogues(
  pool: CommonQueryMethods,
  { page, pageSize, search = "", status }: CatalogueListQuery,
): Promise<{ catalogues: readonly Catalogue[]; total: number }> {
  // In one form: the same letter may be one character or two.
  const pattern = `%${search.normalize("NFC").replaceAll(/[\\%_]/g, "\\$&")}%`;
  const named = search === "" ? sql.fragment`true` : sql.fragment`normalize(name) ilike ${pattern}`;
  const matching =
    status === undefined
      ? named
      : sql.fragment`${named} and status = any(${sql.array([...status], "text")})`;
  const { total } = await pool.one(sql.type(z.object({ total: z.int() }))`
    select count(*) as total from read_model.catalogues where ${matching}`);
  const catalogues = await pool.any(sql.type(Catalogue)`
    select ${CATALOGUE_COLUMNS} from read_model.catalogues c where ${matching}
    order by c.created_at desc, c.id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`);
  return { catalogues, total };
}

/** The versions of a catalogue from one to another, newest first, without abandoned revisions. */
export function listVersions(
  pool: CommonQueryMethods,
  { id, key, version }: ResolvedVersion,
  from: number,
  request: ListRequest,
): Promise<ListPage<CatalogueVersion>> {
  const list = {
    name: `versions of ${id}`,
    key: z.int(),
    keyOf: (row: CatalogueVersion) => row.version,
    read: (after: number | null, limit: number) =>
      pool.any(sql.type(CatalogueVersion)`
        select version, ${isoTimes("created_at")}, cause, actor, added, updated, removed
        from read_model.catalogue_versions v
        where catalogue_key = ${key}
          and version between ${from} and ${after === null ? version : Math.min(version, after - 1)}
        order by v.version desc limit ${limit}`),
  };
  return readListPage(list, request);
}

const ImportRow = ImportRecord.extend({ elements: ElementTalliesBody.nullable() });

/** The ended imports into a catalogue, newest first; none for an unknown catalogue. */
export async function listImports(
  pool: CommonQueryMethods,
  catalogueId: string,
  limit: number,
): Promise<readonly ImportRecord[]> {
  // The record is written when the run ends.
  const runs = await pool.any(sql.type(ImportRow)`
    select id, catalogue_id, ${isoTimes("start_time", "end_time")},
      window_start, window_end, total_fetched, new_events, updated_events, skipped_events, errors,
      ${isoTime("end_time")} as created_at, elements
    from read_model.imports i
    where catalogue_id = ${catalogueId}::uuid and end_time is not null
    order by i.start_time desc, i.id desc
    limit ${limit}`);
  return runs.map(({ elements, ...run }) => ({ ...run, ...(elements && { elements }) }));
}
