import type { Pool, PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { placeOfCount } from "#contracts/bulletin/counts.ts";
import { Refusal } from "#contracts/errors.ts";
import type { ColumnName } from "#contracts/http/events.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type CopyForm, copyBytes } from "#infra/postgres/copy/copy-out.ts";
import {
  type Connection,
  type Lookups,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import { type EventSelection, filterConditions, orderBy, selectedEvents } from "./conditions.ts";
import { FIELD_NAMES } from "./copied-rows.ts";
import { SERVICE, seesMoreThanGuests } from "./rights.ts";
import {
  columns,
  EVENT_COLUMNS,
  eventsShown,
  type ResolvedVersion,
  requirePresent,
  rowsOf,
  type VersionRows,
  visibleAt,
} from "./versions.ts";

/** `further` is a column after EVENT_COLUMNS. */
type ExportSelection = EventSelection & { readonly further?: FragmentSqlToken };

export async function countExported(
  pool: Connection,
  { version, filters }: Omit<EventSelection, "order">,
): Promise<number> {
  if (Object.values(filters).every((value) => value === undefined)) return version.eventCount;
  const { count } = await statementsOn(pool).one(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from ${selectedEvents({ version, filters })}`);
  return count;
}

/**
 * The events as rows in one of COPY's formats, as received from the database.
 * @param signal releases the connection, whatever the database is doing
 * @throws Refusal UNAVAILABLE when no connection is free
 */
export async function* exportedBytes(
  pool: Pool,
  { version, filters, order, further }: ExportSelection,
  signal: AbortSignal,
  form: CopyForm,
): AsyncGenerator<Buffer> {
  const last = further === undefined ? sql.fragment`` : sql.fragment`, ${further}`;
  const query = sql.fragment`
    select ${EVENT_COLUMNS} ${last} from ${eventsShown(version)}
    where ${visibleAt(version)} and ${filterConditions(filters)}
    order by ${orderBy(order, false)}`;
  yield* copyBytes(await exportConnection(pool), query, signal, form);
}

/** All rows of a version as EVENT_COLUMNS, in order of their ids. */
export function rowsInOrderOfIds(version: VersionRows): FragmentSqlToken {
  return sql.fragment`
    select ${EVENT_COLUMNS} from read_model.seismic_events
    where ${visibleAt(version)} order by event_id`;
}

/** @throws Refusal UNAVAILABLE when no connection is free */
export function exportConnection(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((cause: unknown) => {
    throw new Refusal("UNAVAILABLE", "Too many exports run at once; try again", { cause });
  });
}

/** The columns to read of the events of one version that satisfy the filters. */
export type ColumnSelection = {
  readonly version: ResolvedVersion;
  readonly filters: EventFilters;
  /** Of the largest alone, so many; null: of all. */
  readonly largest: number | null;
  readonly columns: readonly ColumnName[];
};

/**
 * Their rows in one of COPY's formats, newest event first, as received from the database. As text they
 * have the digits of the time after the columns, for `toColumnRow`.
 * @param signal releases the connection, whatever the database is doing
 * @throws Refusal UNAVAILABLE when no connection is free, NOT_FOUND when the catalogue was deleted
 */
export async function* columnBytes(
  { exportPool, lookups }: { readonly exportPool: Pool; readonly lookups: Lookups },
  selection: ColumnSelection,
  signal: AbortSignal,
  form: CopyForm,
): AsyncGenerator<Buffer> {
  const client = await exportConnection(exportPool);
  yield* copyBytes(client, columnQuery(selection, form), signal, form);
  await requirePresent(lookups, selection.version);
}

function columnQuery({ version, filters, largest, columns }: ColumnSelection, form: CopyForm) {
  const read = columns.map(columnOf);
  if (form === "text") read.push(sql.fragment`time_digits`);
  const all = selectedEvents({ version, filters });
  const events = largest === null ? all : largestOf(all, filters, largest);
  return sql.fragment`
    select ${sql.join(read, sql.fragment`, `)} from ${events}
    order by ${orderBy("time", false)}`;
}

/** Unknown magnitudes last; of equal ones the newest first, then by id. */
const LARGEST_FIRST = sql.fragment`
  coalesce(magnitude, '-infinity'::double precision) desc, time desc, event_id`;

/**
 * The largest of some rows, by the index of magnitudes: of 10,000,000 events in 1 s, where a sort takes 15. It is not
 * read above a bound of theirs, which has to be written as the index is.
 */
function largestOf(all: FragmentSqlToken, { maxMagnitude }: EventFilters, count: number) {
  const bound = sql.fragment`and coalesce(magnitude, '-infinity'::double precision) <= ${maxMagnitude ?? null}`;
  return sql.fragment`(
    select * from ${all} ${maxMagnitude === undefined ? sql.fragment`` : bound}
    order by ${LARGEST_FIRST} limit ${count}) largest`;
}

function columnOf(name: ColumnName): FragmentSqlToken {
  switch (name) {
    case "id":
      return sql.fragment`event_id`;
    case "arrivals":
      // PostgreSQL counts from 1.
      return sql.fragment`bulletin_counts[${placeOfCount("arrivals") + 1}]`;
    default:
      return sql.fragment`${sql.identifier([name])}`;
  }
}

const PublishedVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  name: z.string(),
  /** The latest one. */
  version: z.int(),
  eventCount: z.int(),
  contentHash: z.string(),
  /** Of its canonical form; null until somebody has asked for it. */
  sha256: z.string().nullable(),
  /** Whether one of its merge's sources is restricted: then there are no parts of it. */
  isWithheld: z.boolean(),
});

/** A catalogue's latest version, as parts are made of it. */
export type PublishedVersion = Readonly<z.infer<typeof PublishedVersion>>;

/** The catalogues that are to have parts, or one by its id, whether it is to have them or not. */
export function versionsForParts(pool: Pick<Statements, "any">, id: string | null) {
  const wanted = id === null ? sql.fragment`c.parts` : sql.fragment`c.id = ${id}::uuid`;
  return pool.any(sql.type(PublishedVersion)`
    select c.id, c.key, c.name, v.version, v.event_count as "eventCount",
      v.content_hash as "contentHash", h.sha256, ${seesMoreThanGuests(SERVICE, "c")} as "isWithheld"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key and v.version = c.version
    left join operations.version_hashes h on h.catalogue_id = c.id and h.version = v.version
      and h.content_hash = v.content_hash
    where ${wanted}`);
}

const Recorded = z.object({ rows: z.int(), isSame: z.boolean() });

/**
 * What the versions after one recorded, and whether that one is still what it was: not after a restore of the log.
 * @param contentHash of that one
 */
export function recordedSince(
  statements: Pick<Statements, "one">,
  { key, version }: VersionRows,
  contentHash: string,
): Promise<z.infer<typeof Recorded>> {
  return statements.one(sql.type(Recorded)`
    select coalesce(sum(added + updated + removed) filter (where version > ${version}), 0)::float8 as rows,
      coalesce(bool_or(version = ${version} and content_hash = ${contentHash}), false) as "isSame"
    from read_model.catalogue_versions where catalogue_key = ${key} and version >= ${version}`);
}

/** The columns of a part, in COPY's binary form as infra/formats/columnar takes them. */
const PART_COLUMNS = sql.fragment`${columns(FIELD_NAMES)}, time_digits::integer,
  encode(bulletin_sha256, 'hex') as bulletin_sha256`;

/** The events of a version, the oldest first. */
export function baseRows(version: VersionRows): FragmentSqlToken {
  return sql.fragment`
    select ${PART_COLUMNS} from read_model.seismic_events
    where ${rowsOf(version)} order by time, event_id`;
}

/** The largest events of a version. */
export function overviewRows(version: VersionRows, limit: number): FragmentSqlToken {
  return sql.fragment`
    select ${PART_COLUMNS} from read_model.seismic_events
    where ${rowsOf(version)} order by ${LARGEST_FIRST} limit ${limit}`;
}

/**
 * What the versions after `from` and up to `to` added, updated and removed, in order of the versions: `change` and
 * `version` before the columns of a part, which are null but for the id in what was removed.
 */
export function changedRows(key: number, from: number, to: number): FragmentSqlToken {
  const before = sql.fragment`exists (
    select from read_model.seismic_events b
    where b.catalogue_key = s.catalogue_key and b.event_id = s.event_id and b.revision_to = s.revision_from)`;
  const after = sql.fragment`exists (
    select from read_model.seismic_events a
    where a.catalogue_key = s.catalogue_key and a.event_id = s.event_id and a.revision_from = s.revision_to)`;
  const nothing = FIELD_NAMES.slice(1).map(
    (name) => sql.fragment`null as ${sql.identifier([name])}`,
  );
  return sql.fragment`
    select case when ${before} then 'updated' else 'added' end as change, revision_from as version, ${PART_COLUMNS}
    from read_model.seismic_events s
    where s.catalogue_key = ${key} and revision_from > ${from} and revision_from <= ${to}
    union all
    select 'removed', revision_to, event_id, ${sql.join(nothing, sql.fragment`, `)}, null, null
    from read_model.seismic_events s
    where s.catalogue_key = ${key} and revision_to > ${from} and revision_to <= ${to} and not ${after}
    order by version, event_id`;
}
