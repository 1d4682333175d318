/**
 * Who may read which catalogue: the one place that says so, as conditions for queries. What may be done beyond
 * reading follows from the facts (services/domain/catalogues/access.ts).
 */

import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { MergeConfig, ShownSource } from "#contracts/merges/config.ts";
import { Editing, MemberRight, type Role } from "#contracts/rights.ts";
import type { SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { isoTime, type Lookups } from "#infra/postgres/statements.ts";
import { uuidOrNull } from "./lists.ts";

/** Who reads. `service`: the service itself, for work that was allowed before. */
export type Reader =
  | {
      readonly kind: "guest";
      /** The only catalogues that are there for somebody who reads as guests do; absent for all. */
      readonly catalogues?: readonly string[];
    }
  /** By the address of a share of this catalogue. */
  | { readonly kind: "share"; readonly catalogueId: string }
  | {
      readonly kind: "user";
      readonly userId: string;
      readonly role: Role;
      /** The only catalogues that are there for an access token; null for all of its owner's. */
      readonly catalogues: readonly string[] | null;
    }
  | { readonly kind: "service" };

export const GUEST: Reader = { kind: "guest" };

/** Whoever reads, for what everybody is shown what guests are shown. */
export function asGuest(reader: Reader): Reader {
  const catalogues = reader.kind === "user" ? reader.catalogues : null;
  return catalogues === null ? GUEST : { kind: "guest", catalogues };
}

export const SERVICE: Reader = { kind: "service" };

/** The id of no catalogue (RFC 9562, 5.9). */
export const NO_CATALOGUE = "00000000-0000-0000-0000-000000000000";

const ALL = sql.fragment`true`;

/** Who may read a catalogue, in words, by its name in the query. */
export function accessOf(catalogue: string): FragmentSqlToken {
  const column = (name: string) => sql.fragment`${sql.identifier([catalogue, name])}`;
  return sql.fragment`case when ${column("is_public")} then 'public'
    when ${column("is_restricted")} then 'restricted' else 'internal' end`;
}

/** Whether a catalogue is there for a reader, by its name in the query: `c`, for one. */
export function isThereFor(reader: Reader, catalogue: string): FragmentSqlToken {
  const { userId = "" } = reader.kind === "user" ? reader : {};
  return isThere(reader, catalogue, hasMember(catalogue, sql.fragment`${userId}`));
}

/** @param isMember whether a user is a member of the catalogue */
function isThere(reader: Reader, catalogue: string, isMember: FragmentSqlToken): FragmentSqlToken {
  const column = (name: string) => sql.fragment`${sql.identifier([catalogue, name])}`;
  const isOpen = sql.fragment`not ${column("is_restricted")}`;
  switch (reader.kind) {
    case "service":
      return ALL;
    case "guest": {
      if (reader.catalogues === undefined) return isOpen;
      const listed = sql.array([...reader.catalogues], "uuid");
      return sql.fragment`(${isOpen} and ${column("id")} = any(${listed}))`;
    }
    case "share":
      return sql.fragment`(${isOpen} or ${column("id")} = ${reader.catalogueId}::uuid)`;
    case "user": {
      const ofToken =
        reader.catalogues === null
          ? ALL
          : sql.fragment`${column("id")} = any(${sql.array([...reader.catalogues], "uuid")})`;
      if (reader.role === "admin") return ofToken;
      return sql.fragment`(${ofToken} and (${isOpen} or ${isMember}))`;
    }
  }
}

/**
 * Whether a catalogue is there for a user, of rows of both by their names in the query.
 * @param mayAdminister whether the user acts as an administrator where that is his role
 */
export function isThereForUser(
  catalogue: string,
  user: string,
  mayAdminister = ALL,
): FragmentSqlToken {
  const of = (table: string, name: string) => sql.fragment`${sql.identifier([table, name])}`;
  return sql.fragment`(not ${of(catalogue, "is_restricted")}
    or (${of(user, "role")} = 'admin' and ${mayAdminister})
    or ${hasMember(catalogue, of(user, "id"))})`;
}

function hasMember(catalogue: string, userId: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`exists (
    select from read_model.catalogue_members m
    where m.catalogue_id = ${sql.identifier([catalogue, "id"])} and ${isMember(userId)})`;
}

/** Whether the member `m` is a user, or a group of his: by index, whoever else is a member. */
function isMember(userId: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`m.member_id = any(array_append(
    array(select group_id from read_model.group_members where user_id = ${userId}), ${userId}))`;
}

/** Whether everything is there for a reader, also what was restricted when it was deleted. */
function seesAll(reader: Reader): boolean {
  if (reader.kind === "service") return true;
  return reader.kind === "user" && reader.role === "admin" && reader.catalogues === null;
}

/**
 * Whether nothing may name a catalogue to a reader: it is not there for him, or was restricted when it was
 * deleted.
 * @param id an expression of type uuid, with the names of its columns' tables
 */
export function isHiddenFor(reader: Reader, id: FragmentSqlToken): FragmentSqlToken {
  if (seesAll(reader)) return sql.fragment`false`;
  if (reader.kind === "user" && reader.catalogues !== null) {
    const listed = sql.array([...reader.catalogues], "uuid");
    const hidden = isHiddenFor({ ...reader, catalogues: null }, id);
    return sql.fragment`(not ${id} = any(${listed}) or ${hidden})`;
  }
  return sql.fragment`(
    exists (select from read_model.catalogues o where o.id = ${id} and not ${isThereFor(reader, "o")})
    or exists (select from read_model.restricted_remains r where r.catalogue_id = ${id}))`;
}

/** The ids of the merged catalogue's sources that are hidden from a reader, as a list; null for none. */
export function hiddenSources(reader: Reader, catalogue: string): FragmentSqlToken {
  if (seesAll(reader)) return sql.fragment`null::text[]`;
  const sources = sql.identifier([catalogue, "source_catalogues"]);
  return sql.fragment`case when ${sources} is not null then (
    select array_agg(source ->> 'id') from json_array_elements(${sources}) source
    where ${isHiddenFor(reader, sql.fragment`(source ->> 'id')::uuid`)}) end`;
}

/** Whether a reader is told of sources of the merged catalogue that are hidden from guests. */
export function seesMoreThanGuests(reader: Reader, catalogue: string): FragmentSqlToken {
  if (reader.kind === "guest") return sql.fragment`false`;
  const id = sql.fragment`(source ->> 'id')::uuid`;
  return sql.fragment`exists (
    select from json_array_elements(${sql.identifier([catalogue, "source_catalogues"])}) source
    where ${isHiddenFor(GUEST, id)} and not ${isHiddenFor(reader, id)})`;
}

const Ids = z.object({ ids: z.array(z.string()) });

/** Those of some catalogues, also of deleted ones, that are hidden from a reader. */
export async function hiddenAmong(lookups: Lookups, ids: readonly string[], reader: Reader) {
  if (ids.length === 0 || seesAll(reader)) return new Set<string>();
  const row = await lookups.maybeOne(sql.type(Ids)`
    select coalesce(array_agg(named.id::text), '{}') as ids
    from unnest(${sql.array([...ids], "uuid")}) named(id)
    where ${isHiddenFor(reader, sql.fragment`named.id`)}`);
  return new Set(row?.ids);
}

/**
 * Those of some catalogues that are there for a reader; malformed ids are of none. As in `catalogueFacts` his right
 * is looked up first, of each.
 */
export async function thereAmong(lookups: Lookups, ids: readonly string[], reader: Reader) {
  const known = ids.flatMap((id) => uuidOrNull(id) ?? []);
  const row = await lookups.maybeOne(sql.type(Ids)`
    with asked as materialized (
      select named.id, ${rightOf(reader, sql.fragment`named.id`)} as right
      from unnest(${sql.array(known, "uuid")}) named(id))
    select coalesce(array_agg(c.id::text), '{}') as ids
    from asked join read_model.catalogues c on c.id = asked.id
    where ${isThere(reader, "c", sql.fragment`asked.right is not null`)}`);
  return new Set(row?.ids);
}

export const CatalogueFacts = z.object({
  id: z.uuid(),
  /** The read model's. */
  key: z.int(),
  /** The latest one. */
  version: z.int(),
  /** Of that version. */
  eventCount: z.int(),
  /** The first version that guests may read; null while the catalogue is private. */
  publicFrom: z.int().nullable(),
  isPublic: z.boolean(),
  isRestricted: z.boolean(),
  editing: Editing,
  /** Whether its versions are kept as files. */
  parts: z.boolean(),
  /** The reader's as a member, the highest of his own and his groups'. */
  right: MemberRight.nullable(),
  /** Ids of the sources of a merge that are hidden from the reader; null for none. */
  hidden: z.array(z.string()).nullable(),
  /** Whether the reader is told of sources that are hidden from guests. */
  seesMore: z.boolean(),
  name: z.string(),
  /** JSON, which few of those who ask need to have parsed; null for none. */
  metadata: z.string().nullable(),
  /** When it, or its events, were changed last: ISO 8601 UTC. */
  updatedAt: z.string(),
});

/** A catalogue and what decides on what a reader may do with it. */
export type CatalogueFacts = Readonly<z.infer<typeof CatalogueFacts>>;

/**
 * Null for a catalogue that is not there for the reader. One look-up by primary keys, for every request. The
 * reader's right is looked up first, whether there is such a catalogue or not: the time does not tell a stranger.
 */
export function catalogueFacts(lookups: Lookups, catalogueId: string, reader: Reader) {
  const id = sql.fragment`${uuidOrNull(catalogueId)}::uuid`;
  return lookups.maybeOne(sql.type(CatalogueFacts)`
    with asked as materialized (select ${id} as id, ${rightOf(reader, id)} as right)
    select c.id, c.key, c.version, c.event_count as "eventCount", c.public_from as "publicFrom",
      c.is_public as "isPublic", c.is_restricted as "isRestricted", c.editing, c.parts,
      asked.right,
      ${hiddenSources(reader, "c")} as hidden, ${seesMoreThanGuests(reader, "c")} as "seesMore",
      c.name, c.metadata::text as metadata, ${isoTime("c.updated_at")} as "updatedAt"
    from asked join read_model.catalogues c on c.id = asked.id
    where ${isThere(reader, "c", sql.fragment`asked.right is not null`)}`);
}

function rightOf(reader: Reader, catalogueId: FragmentSqlToken): FragmentSqlToken {
  if (reader.kind !== "user") return sql.fragment`null::text`;
  return sql.fragment`(
    select m.member_right from read_model.catalogue_members m
    where m.catalogue_id = ${catalogueId} and ${isMember(sql.fragment`${reader.userId}`)}
    order by array_position(array['own', 'edit', 'read'], m.member_right) limit 1)`;
}

/** Ids of catalogues; null for none. */
type HiddenIds = readonly string[] | null;

/** What of a merge's sources may be shown: of hidden ones no id, no name and no label. */
export function shownSources(sources: readonly ShownSource[], hidden: HiddenIds): ShownSource[] {
  return sources.map((one) =>
    isHidden(one.id, hidden) ? { ...one, id: null, name: null, source: null } : one,
  );
}

/** A merge's settings with no labels of sources but these, for those who may not see all of its sources. */
export function shownConfig(config: MergeConfig, labels: readonly (string | null)[]): MergeConfig {
  const known = new Set(labels.map((label) => label?.toLowerCase()));
  const shown = (label: string) => (known.has(label.toLowerCase()) ? label : "");
  const windows = config.windows?.map((one) =>
    one.sources === undefined ? one : { ...one, sources: one.sources.map(shown) },
  );
  return { ...config, priority: shown(config.priority), ...(windows && { windows }) };
}

/** Members of a merged event; the form of `eventsShown`. */
export function shownMembers(members: readonly SourceEvent[], hidden: HiddenIds) {
  return members.map((one) =>
    isHidden(one.catalogue_id, hidden)
      ? { ...one, catalogue_id: null, event_id: null, source_id: null, source: null }
      : one,
  );
}

function isHidden(id: string | null, hidden: HiddenIds): boolean {
  return hidden?.some((one) => one === id) ?? false;
}

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
  const rows = await pool.any(sql.type(z.object({ id: z.string() }))`
    select s.id::text || ' ' || c.id::text as id
    from ${rowsOfReadings(sessions)}
    join vault.sessions s on s.id = r.reader
    join read_model.users u on u.id = s.user_id
    join read_model.catalogues c on c.id = r.catalogue
    where s.revoked_at is null and s.expires_at > ${at} and u.is_active and ${isThereForUser("c", "u")}
    union all
    select t.id::text || ' ' || c.id::text
    from ${rowsOfReadings(tokens)}
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

function rowsOfReadings(readings: readonly SignedReading[]): FragmentSqlToken {
  const readers = sql.array(
    readings.map(({ by }) => by),
    "uuid",
  );
  const catalogues = sql.array(
    readings.map(({ catalogueId }) => catalogueId),
    "uuid",
  );
  return sql.fragment`unnest(${readers}, ${catalogues}) r(reader, catalogue)`;
}
