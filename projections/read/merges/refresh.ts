/**
 * What a refresh looks up: the merge as its last refresh left it, and what has changed in its
 * sources.
 */

import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { EXTRA_MAGNITUDE_AGENCY } from "#contracts/bulletin/row.ts";
import { MergeConfig, MergedSource } from "#contracts/merges/config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { filterConditions } from "../conditions.ts";
import { hasPublicId, hasSourceId } from "../edits.ts";
import { isThereFor, type Reader } from "../rights.ts";
import { bulletinColumn, columns, ofEvents, rowsOf, type VersionRows } from "../versions.ts";

const MergeBase = z.object({
  id: z.uuid(),
  key: z.int(),
  /** The latest version, and how many events it has. */
  version: z.int(),
  eventCount: z.int(),
  /** The highest revision: the latest version's, or that of an open one. */
  lastRevision: z.int(),
  /** The version that the merge, or its last refresh, left, and how many events it has. */
  revision: z.int(),
  formerCount: z.int(),
  config: MergeConfig,
  sources: z.array(MergedSource),
  /** Null where it was not recorded. */
  duplicateGroups: z.int().nullable(),
  /** The rules that grouped its events; null for those before they were numbered. */
  rules: z.int().nullable(),
  /** How many events of the log have changed its decisions. */
  decided: z.int(),
  /** Whether decisions were made or withdrawn since the refresh. */
  isTouched: z.boolean(),
});

/** A merged catalogue as its last refresh left it, and as it is. */
export type MergeBase = z.infer<typeof MergeBase>;

/** Null for a catalogue that is no merge, or has no version. */
export function readMergeBase(client: ClientBase, catalogueId: string): Promise<MergeBase | null> {
  return statementsOn(client).maybeOne(sql.type(MergeBase)`
    select c.id, c.key, c.version, c.event_count as "eventCount",
      coalesce(c.open_revision, c.version) as "lastRevision", c.merge_revision as revision,
      v.event_count as "formerCount", c.merge_config as config, c.source_catalogues as sources,
      c.merge_duplicate_groups as "duplicateGroups", c.merge_rules as rules,
      c.merge_decided as decided,
      exists (
        select from read_model.merge_touched t where t.catalogue_id = c.id) as "isTouched"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key and v.version = c.merge_revision
    where c.id = ${catalogueId}::uuid and c.merge_config is not null`);
}

/** Those of some catalogues that exist, whoever may read them. */
export async function existingAmong(client: ClientBase, ids: readonly string[]) {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.uuid() }))`
    select id from read_model.catalogues where id = any(${sql.array([...ids], "uuid")})`);
  return new Set(rows.map(({ id }) => id));
}

/** A row of an event of a merged catalogue, at a version or before it. */
export type FormerRow = {
  readonly id: string;
  /** Whether it is the version's. */
  readonly isPresent: boolean;
  /** As `source_events` of contracts/seismic-event; null where it is not merged. */
  readonly members: readonly FormerMember[] | null;
  /** The public id of the chosen member, also where the event shares it with another; null without one. */
  readonly publicId: string | null;
};

export type FormerMember = {
  readonly catalogue_id: string;
  readonly event_id: string;
  readonly source_id: string | null;
  readonly chosen: boolean;
};

/**
 * The rows that the events of a version have had up to it, in order of the ids, then the oldest first.
 * @param ids of some events; null for all
 */
export async function* formerRows(
  client: ClientBase,
  { key, version }: VersionRows,
  ids: readonly string[] | null,
): AsyncGenerator<FormerRow[]> {
  const query = sql.fragment`
    select event_id, revision_to is null or revision_to > ${version}, source_events,
      coalesce(extra ->> 'public_id', extra ->> 'shared_public_id')
    from read_model.seismic_events
    where catalogue_key = ${key} and revision_from <= ${version} and ${ofEvents(ids)}
    order by event_id, revision_from`;
  for await (const rows of copyRows(client, query)) {
    yield rows.map(([id, isPresent, members, publicId]) => ({
      id: id ?? "",
      isPresent: isPresent === "t",
      members: members ? JSON.parse(members) : null,
      publicId: publicId ?? null,
    }));
  }
}

/** The ids of a version's events, in no particular order. @param ids those that are asked for; null for all */
export async function* idsAt(
  client: ClientBase,
  version: VersionRows,
  ids: readonly string[] | null,
): AsyncGenerator<string[]> {
  const query = sql.fragment`
    select event_id from read_model.seismic_events where ${rowsOf(version)} and ${ofEvents(ids)}`;
  for await (const rows of copyRows(client, query)) yield rows.map(([id]) => id ?? "");
}

/** The events of a merged catalogue that have, or ever had, one of some events among their members. */
export async function eventsWithMembers(
  client: ClientBase,
  { key }: Pick<VersionRows, "key">,
  members: readonly string[],
): Promise<string[]> {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.string() }))`
    select distinct event_id as id from read_model.merge_members
    where member = any(${sql.array([...members], "uuid")}) and catalogue_key = ${key}`);
  return rows.map(({ id }) => id);
}

/** How many events of a version stand for more than one. */
export async function countDuplicateGroupsAt(client: ClientBase, version: VersionRows) {
  const { count } = await statementsOn(client).one(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from read_model.seismic_events
    where ${rowsOf(version)} and json_array_length(source_events) > 1`);
  return count;
}

/** The events of sources that decisions named which were made or withdrawn since the refresh. */
export async function touchedEvents(client: ClientBase, catalogueId: string): Promise<string[]> {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.string() }))`
    select event_id as id from read_model.merge_touched where catalogue_id = ${catalogueId}::uuid`);
  return rows.map(({ id }) => id);
}

/** When and where an event is; seconds since 1970, some microseconds exact, and degrees. */
export type PlacedEvent = {
  readonly id: string;
  readonly seconds: number;
  readonly latitude: number;
  readonly longitude: number;
};

/** Seconds since 1970, both inclusive. */
type TimeWindow = { readonly from: number; readonly to: number };

/** An event as it was, or as it is, where the two versions have different rows of it. */
type ChangedEvent = PlacedEvent & { readonly isPresent: boolean };

const PLACE = sql.fragment`event_id, extract(epoch from time), latitude, longitude`;

/** How many changes the versions after one and up to another recorded. */
export async function countChanges(
  client: ClientBase,
  { key, version }: VersionRows,
  after: number,
): Promise<number> {
  const { changes } = await statementsOn(client).one(sql.type(z.object({ changes: z.number() }))`
    select coalesce(sum(added + updated + removed), 0)::double precision as changes
    from read_model.catalogue_versions
    where catalogue_key = ${key} and version > ${after} and version <= ${version}`);
  return changes;
}

/** The rows by which a version differs from an earlier one: those that ended, and those that began. */
export async function changedEvents(
  client: ClientBase,
  { key, version }: VersionRows,
  after: number,
): Promise<ChangedEvent[]> {
  const rows = await collect(
    client,
    sql.fragment`
      select ${PLACE}, false from read_model.seismic_events
      where catalogue_key = ${key} and revision_to between ${after + 1} and ${version}
        and revision_from <= ${after}
      union all
      select ${PLACE}, true from read_model.seismic_events
      where ${rowsOf({ key, version })} and revision_from between ${after + 1} and ${version}`,
  );
  return rows.map((row) => ({ ...placed(row), isPresent: row[4] === "t" }));
}

/** The events of a version in any of some windows of time, which do not overlap. */
export function eventsInWindows(
  client: ClientBase,
  version: VersionRows,
  windows: readonly TimeWindow[],
): Promise<PlacedEvent[]> {
  const starts = sql.array(
    windows.map(({ from }) => from),
    "float8",
  );
  const ends = sql.array(
    windows.map(({ to }) => to),
    "float8",
  );
  return places(
    client,
    sql.fragment`
      select near.* from unnest(${starts}, ${ends}) spans(start_at, end_at)
      cross join lateral (
        select ${PLACE} from read_model.seismic_events
        where ${rowsOf(version)}
          and time between to_timestamp(spans.start_at) and to_timestamp(spans.end_at)
        offset 0) near`,
  );
}

/** Those of some events that a version has. */
export function eventsById(client: ClientBase, version: VersionRows, ids: readonly string[]) {
  return places(
    client,
    sql.fragment`
      select ${PLACE} from read_model.seismic_events
      where ${rowsOf(version)} and ${ofEvents(ids)}`,
  );
}

/** The ids of a version's events that have one of some texts as source id or public id. */
export async function holdersOf(
  client: ClientBase,
  version: VersionRows,
  texts: readonly string[],
): Promise<string[]> {
  // Written for the indexes of present rows, and those of rows that an open revision has superseded.
  const parts = [sql.fragment`revision_to is null`, sql.fragment`revision_to is not null`].flatMap(
    (part) =>
      [hasSourceId(texts), hasPublicId(texts)].map(
        (holds) => sql.fragment`
          select event_id from read_model.seismic_events
          where ${rowsOf(version)} and ${part} and ${holds}`,
      ),
  );
  const rows = await collect(client, sql.fragment`${sql.join(parts, sql.fragment` union `)}`);
  return rows.map(([id]) => id ?? "");
}

async function places(client: ClientBase, query: FragmentSqlToken): Promise<PlacedEvent[]> {
  return (await collect(client, query)).map(placed);
}

async function collect(client: ClientBase, query: FragmentSqlToken) {
  const all: (string | null)[][] = [];
  for await (const rows of copyRows(client, query)) all.push(...rows);
  return all;
}

function placed([id, seconds, latitude, longitude]: readonly (string | null)[]): PlacedEvent {
  return {
    id: id ?? "",
    seconds: Number(seconds),
    latitude: Number(latitude),
    longitude: Number(longitude),
  };
}

/**
 * The input of a merge: the events of several catalogues in one order, by time, then id. All of it
 * is read in one transaction with isolation REPEATABLE READ, so each catalogue is read as of one
 * version, and two reads give the same rows in the same places.
 */

const SourceVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  name: z.string(),
  /** 0 before the first. */
  version: z.int(),
  eventCount: z.int(),
  isRestricted: z.boolean(),
});
export type SourceVersion = z.infer<typeof SourceVersion>;

/** Those of the catalogues that are there for a reader, in no particular order. */
export function latestVersions(client: ClientBase, ids: readonly string[], reader: Reader) {
  return statementsOn(client).any(sql.type(SourceVersion)`
    select id, key, name, version, event_count as "eventCount", is_restricted as "isRestricted"
    from read_model.catalogues c
    where id = any(${sql.array([...ids], "uuid")}) and ${isThereFor(reader, "c")}`);
}

const SourceKey = z.object({ id: z.uuid(), key: z.int() });

/** The read model's keys of those of the catalogues that are there for a reader. */
export async function sourceKeys(
  statements: Pick<Statements, "any">,
  ids: readonly string[],
  reader: Reader,
): Promise<Map<string, number>> {
  const rows = await statements.any(sql.type(SourceKey)`
    select id, key from read_model.catalogues c
    where id = any(${sql.array([...ids], "uuid")}) and ${isThereFor(reader, "c")}`);
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** Those of some agencies that located an event of the sources or gave its magnitude, in lower case. */
export async function agenciesAmong(
  client: ClientBase,
  sources: readonly VersionRows[],
  agencies: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = [...new Set(agencies.map((name) => name.toLowerCase()))];
  const present = new Set<string>();
  for (const source of names.length === 0 ? [] : sources) {
    const rows = await statementsOn(client).any(sql.type(z.object({ name: z.string() }))`
      select distinct agency.name from read_model.seismic_events e
      cross join lateral (
        values (lower(e.agency_id)), (lower(e.extra ->> ${EXTRA_MAGNITUDE_AGENCY}))
      ) agency (name)
      where ${rowsOf(source)}
        and agency.name = any(${sql.array(names, "text")})`);
    for (const { name } of rows) present.add(name);
  }
  return present;
}

/** Ids of events of each source, in the order of the sources; null for all events. */
export type EventsOfSources = readonly (readonly string[])[] | null;

/** The columns for grouping; `source` is the catalogue's index in `sources`. */
export const ORIGIN_COLUMNS = [
  "source",
  "event_id",
  "time",
  "latitude",
  "longitude",
  "magnitude",
  "source_id",
] as const;

export const MERGE_COLUMNS = [
  "source",
  "event_id",
  "time",
  "time_digits",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES.filter((name) => name !== "source_events"),
] as const;

/** The columns for showing an event in a preview. */
export const PLACED_COLUMNS = [
  "event_id",
  "time",
  "time_digits",
  "latitude",
  "longitude",
  "depth",
  "magnitude",
] as const;

/** The columns for showing an event among its duplicates. */
export const DUPLICATE_COLUMNS = [...PLACED_COLUMNS, "source_id"] as const;

/** Rows of some columns of a version's events with these ids, in no particular order. */
export function placedRows(
  client: ClientBase,
  version: VersionRows,
  names: readonly string[],
  ids: readonly string[],
) {
  return copyRows(
    client,
    sql.fragment`
      select ${columns(names)} from read_model.seismic_events
      where ${rowsOf(version)} and ${ofEvents(ids)}`,
  );
}

/** Rows of some columns in batches, as COPY text. */
export function orderedRows(
  client: ClientBase,
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources = null,
): AsyncGenerator<TextRow[]> {
  return copyRows(client, orderedQuery(sources, names, only));
}

/**
 * Rows of some columns, each with its bulletin behind them (`readCopiedBulletin`), null where there is none.
 * Bulletins are read in the order of the rows, and none before its turn.
 */
export function orderedRowsWithBulletins(
  client: ClientBase,
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources,
): AsyncGenerator<TextRow[]> {
  const ordered = orderedQuery(sources, [...names, "catalogue_key", "bulletin_revision"], only);
  return copyRows(
    client,
    sql.fragment`
      select ${columns(names)}, ${bulletinColumn()} from (${ordered}) seismic_events`,
  );
}

/** For each row what a member of its `extra` is, as text; null where there is none. */
export function labelRows(client: ClientBase, sources: readonly VersionRows[], member: string) {
  const ordered = orderedQuery(sources, ["event_id", "time", "extra"], null);
  return copyRows(client, sql.fragment`select extra ->> ${member}::text from (${ordered}) events`);
}

/** Whether an event of the catalogues has ever had a bulletin. */
export async function haveBulletins(client: ClientBase, sources: readonly VersionRows[]) {
  const keys = sources.map(({ key }) => key);
  const { found } = await statementsOn(client).one(sql.type(z.object({ found: z.boolean() }))`
    select exists (select from read_model.bulletins
      where catalogue_key = any(${sql.array(keys, "int4")})) as found`);
  return found;
}

/** One branch per source, so that the database can merge rows that its indexes have sorted already. */
function orderedQuery(
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources,
): FragmentSqlToken {
  const list = columns(names.filter((name) => name !== "source"));
  const branches = sources.map(
    (source, place) => sql.fragment`
      (select ${place}::int as source, ${list} from read_model.seismic_events
        where ${rowsOf(source)} and ${ofEvents(only?.[place] ?? null)})`,
  );
  return sql.fragment`
    select source, ${list} from (${sql.join(branches, sql.fragment` union all `)}) events
    order by time, event_id`;
}

/** Rows of event_id, time, latitude, longitude and magnitude of a version's events, by time, then id. */
export function versionOrigins(client: ClientBase, version: VersionRows, filters: EventFilters) {
  return copyRows(
    client,
    sql.fragment`
      select event_id, time, latitude, longitude, magnitude from read_model.seismic_events
      where ${rowsOf(version)} and ${filterConditions(filters)} order by time, event_id`,
  );
}
