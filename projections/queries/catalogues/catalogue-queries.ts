import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { Catalogue, type CatalogueStatus, CatalogueVersion } from "#contracts/http/catalogue.ts";
import { listedName } from "#infra/formats/delimited/fdsn-text.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { ResolvedVersion } from "../events/resolve-version.ts";
import { type ListPage, type ListRequest, readListPage } from "../long-list.ts";
import { accessOf, hiddenSources, isThereFor, type Reader } from "../rights/reader-rights.ts";
import { shownConfig, shownSources } from "../rights/shown-sources.ts";
import { uuidOrNull } from "../sql-values.ts";

const CATALOGUE_COLUMNS = sql.fragment`
  id, name, ${isoTimes("created_at", "updated_at")}, status, event_count,
  min_latitude, max_latitude, min_longitude, max_longitude, min_magnitude, max_magnitude,
  start_time, end_time,
  case when box_west is not null
    then json_build_array(box_west, min_latitude, box_east, max_latitude) end as bbox,
  is_public, public_from, ${accessOf("c")} as access, editing, version, created_by,
  metadata, merge_config, source_catalogues`;

/** A catalogue's row `c` as it is read for a reader, with the sources that are hidden from him. */
const CatalogueRow = Catalogue.extend({ hidden: z.array(z.string()).nullable() });

/** The columns of `CatalogueRow`, for a statement on `read_model.catalogues c`. */
function columnsFor(reader: Reader): FragmentSqlToken {
  return sql.fragment`${CATALOGUE_COLUMNS}, ${hiddenSources(reader, "c")} as hidden`;
}

/** A catalogue as its reader may see it: hidden sources of a merge have no id, no name and no label. */
function shown({ hidden, ...catalogue }: z.infer<typeof CatalogueRow>): Catalogue {
  const { source_catalogues: sources, merge_config: config } = catalogue;
  if (hidden === null || sources === null) return catalogue;
  const shownOnes = shownSources(sources, hidden);
  const labels = shownOnes.map(({ source }) => source);
  return {
    ...catalogue,
    source_catalogues: shownOnes,
    merge_config: config && shownConfig(config, labels),
  };
}

/** A catalogue for a file: who reads and changes it is nothing of the file's. */
export function withoutRights(catalogue: Catalogue): Omit<Catalogue, "access" | "editing"> {
  const { access: _access, editing: _editing, ...described } = catalogue;
  return described;
}

/** One catalogue; null for an unknown or malformed id, and for one that is not there for the reader. */
export async function catalogueById(
  lookups: Lookups,
  catalogueId: string,
  reader: Reader,
): Promise<Catalogue | null> {
  const row = await lookups.maybeOne(sql.type(CatalogueRow)`
    select ${columnsFor(reader)} from read_model.catalogues c
    where c.id = ${uuidOrNull(catalogueId)}::uuid and ${isThereFor(reader, "c")}`);
  return row && shown(row);
}

const Named = z.object({ id: z.uuid(), name: z.string() });

/**
 * The id of the catalogue that an id names, or that alone among the public ones has a name, in any case.
 * @throws Refusal NOT_FOUND; VALIDATION_ERROR when several have the name
 */
export async function catalogueNamed(
  pool: CommonQueryMethods,
  text: string,
  reader: Reader,
): Promise<string> {
  const id = uuidOrNull(text);
  if (id !== null) return id;
  const named = await pool.any(sql.type(Named)`
    select id, name from read_model.catalogues c where is_public and ${isThereFor(reader, "c")}`);
  const exact = named.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const listed = named.filter(({ name }) => listedName(name) === listedName(text));
  const [first, second] = exact.length > 0 ? exact : listed;
  if (first === undefined)
    throw new Refusal("NOT_FOUND", "catalog: no public catalogue has this name");
  if (second === undefined) return first.id;
  throw new Refusal("VALIDATION_ERROR", "catalog: several catalogues have this name; use the id");
}

/** All public catalogues that are there for a reader, newest first. */
export async function publicCatalogues(
  pool: CommonQueryMethods,
  reader: Reader,
): Promise<readonly Catalogue[]> {
  const rows = await pool.any(sql.type(CatalogueRow)`
    select ${columnsFor(reader)} from read_model.catalogues c
    where is_public and ${isThereFor(reader, "c")}
    order by c.created_at desc, c.id desc`);
  return rows.map(shown);
}

/** The names of the public catalogues that are there for a reader, in order. */
export async function publicCatalogueNames(
  pool: CommonQueryMethods,
  reader: Reader,
): Promise<readonly string[]> {
  const rows = await pool.any(sql.type(z.object({ name: z.string() }))`
    select distinct name from read_model.catalogues c
    where is_public and ${isThereFor(reader, "c")} order by name`);
  return rows.map(({ name }) => name);
}

type CatalogueListQuery = {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Part of the name, in any case, with accents or without. */
  readonly search?: string | undefined;
  readonly status?: readonly CatalogueStatus[] | undefined;
};

/** Combining diacritical marks: what is left of an accent when it is taken apart from its letter. */
const ACCENTS = /[\u0300-\u036f]/g;

const withoutAccents = (text: string): string => text.normalize("NFD").replaceAll(ACCENTS, "");

/** A page of the catalogues that match and are there for a reader, newest first, and their number. */
export async function listCatalogues(
  pool: CommonQueryMethods,
  { page, pageSize, search = "", status }: CatalogueListQuery,
  reader: Reader,
): Promise<{ catalogues: readonly Catalogue[]; total: number }> {
  const pattern = `%${withoutAccents(search).replaceAll(/[\\%_]/g, "\\$&")}%`;
  const named =
    search === ""
      ? sql.fragment`true`
      : sql.fragment`regexp_replace(normalize(name, NFD), ${ACCENTS.source}, '', 'g') ilike ${pattern}`;
  const ofStatus =
    status === undefined
      ? sql.fragment`true`
      : sql.fragment`status = any(${sql.array([...status], "text")})`;
  const matching = sql.fragment`${named} and ${ofStatus} and ${isThereFor(reader, "c")}`;
  const { total } = await pool.one(sql.type(z.object({ total: z.int() }))`
    select count(*) as total from read_model.catalogues c where ${matching}`);
  const catalogues = await pool.any(sql.type(CatalogueRow)`
    select ${columnsFor(reader)} from read_model.catalogues c where ${matching}
    order by c.created_at desc, c.id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`);
  return { catalogues: catalogues.map(shown), total };
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
