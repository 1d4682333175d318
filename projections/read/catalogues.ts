/** Catalogues as their readers see them, with their versions, members and shares. */

import { createHash } from "node:crypto";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import {
  Catalogue,
  type CatalogueStatus,
  CatalogueVersion,
  MadeShare,
  Member,
  Share,
} from "#contracts/http/catalogues.ts";
import { MemberKind } from "#contracts/rights.ts";
import { listedName } from "#infra/formats/delimited/fdsn-text.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { isoTimes, type Lookups } from "#infra/postgres/statements.ts";
import { type ListPage, type ListRequest, readListPage, uuidOrNull } from "./lists.ts";
import {
  accessOf,
  hiddenSources,
  isThereFor,
  type Reader,
  shownConfig,
  shownSources,
} from "./rights.ts";
import type { ResolvedVersion } from "./versions.ts";

const CATALOGUE_COLUMNS = sql.fragment`
  id, name, ${isoTimes("created_at", "updated_at")}, status, event_count,
  min_latitude, max_latitude, min_longitude, max_longitude, min_magnitude, max_magnitude,
  start_time, end_time,
  case when box_west is not null
    then json_build_array(box_west, min_latitude, box_east, max_latitude) end as bbox,
  is_public, public_from, ${accessOf("c")} as access, editing, parts, version, created_by,
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

/** A catalogue for a file: who reads and changes it, and whether it has parts, is nothing of the file's. */
export function withoutRights(catalogue: Catalogue): ExportedCatalogue["catalogue"] {
  const { access: _access, editing: _editing, parts: _parts, ...described } = catalogue;
  return described;
}

/** One catalogue; null for an unknown or malformed id, and for one that is not there for the reader. */
export async function catalogueById(lookups: Lookups, catalogueId: string, reader: Reader) {
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
export async function catalogueNamed(pool: CommonQueryMethods, text: string, reader: Reader) {
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
export async function publicCatalogues(pool: CommonQueryMethods, reader: Reader) {
  const rows = await pool.any(sql.type(CatalogueRow)`
    select ${columnsFor(reader)} from read_model.catalogues c
    where is_public and ${isThereFor(reader, "c")}
    order by c.created_at desc, c.id desc`);
  return rows.map(shown);
}

/** The names of the public catalogues that are there for a reader, in order. */
export async function publicCatalogueNames(pool: CommonQueryMethods, reader: Reader) {
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

/** The members of a catalogue that are there still, owners first, then by name. */
export function listMembers(pool: CommonQueryMethods, catalogueId: string) {
  return pool.any(sql.type(Member)`
    select m.member_id as id, m.kind, coalesce(u.name, g.name) as name, m.member_right as right
    from read_model.catalogue_members m
    left join read_model.users u on m.kind = 'user' and u.id = m.member_id
    left join read_model.groups g on m.kind = 'group' and g.id::text = m.member_id
    where m.catalogue_id = ${catalogueId}::uuid and coalesce(u.id, g.id::text) is not null
    order by array_position(array['own', 'edit', 'read'], m.member_right), 3, 1`);
}

const Candidate = z.object({ id: z.string(), kind: MemberKind, mayOwn: z.boolean() });

/** Users and groups that are there, by id. */
export async function candidates(pool: CommonQueryMethods, ids: readonly string[]) {
  const wanted = sql.array([...ids], "text");
  const rows = await pool.any(sql.type(Candidate)`
    select c.id, c.kind, ${mayOwn(sql.fragment`c.id`)} as "mayOwn" from (
      select id, 'user' as kind from read_model.users where id = any(${wanted})
      union all
      select id::text, 'group' from read_model.groups where id::text = any(${wanted})) c`);
  return new Map(rows.map(({ id, ...candidate }) => [id, candidate]));
}

/** Whether the user `u` may own. */
const IS_OWNER = sql.fragment`(u.is_active and u.role in ('editor', 'admin'))`;

/**
 * Whether a user or a group may own: an active editor or administrator, or a group with one.
 * @param id an expression of type text
 */
function mayOwn(id: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    exists (select from read_model.users u where u.id = ${id} and ${IS_OWNER})
    or exists (
      select from read_model.group_members gm join read_model.users u on u.id = gm.user_id
      where gm.group_id = ${id} and ${IS_OWNER}))`;
}

/** Its name; null where the catalogue is not there for the reader. */
const Orphan = z.object({ name: z.string().nullable() });

/**
 * A catalogue that would have no owner any more, one whose name the reader may know first; null for none.
 * @param kept users who stay in the group
 * @param reader who is told
 */
export function orphanOf(
  connection: CommonQueryMethods,
  { groupId, kept, reader }: { groupId: string; kept: readonly string[]; reader: Reader },
) {
  return connection.maybeOne(sql.type(Orphan)`
    select case when ${isThereFor(reader, "c")} then c.name end as name
    from read_model.catalogue_members m join read_model.catalogues c on c.id = m.catalogue_id
    where m.member_id = ${groupId} and m.member_right = 'own' and ${mayOwn(sql.fragment`m.member_id`)}
      and not exists (
        select from read_model.users u
        where u.id = any(${sql.array([...kept], "text")}) and ${IS_OWNER})
      and not exists (
        select from read_model.catalogue_members o
        where o.catalogue_id = c.id and o.member_id <> m.member_id and o.member_right = 'own'
          and ${mayOwn(sql.fragment`o.member_id`)})
    order by 1 nulls last limit 1`);
}

/** The shares of a catalogue, newest first, also expired ones. */
export function listShares(pool: CommonQueryMethods, catalogueId: string) {
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

const FoundShare = z.object({ shareId: z.uuid(), catalogueId: z.uuid(), usedLately: z.boolean() });

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
