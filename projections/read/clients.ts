/** What clients of the field ask for that no other read has: the event service, and Features. */

import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { placeOfCount } from "#contracts/bulletin/counts.ts";
import type { FdsnQuery } from "#contracts/fdsn/query.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { PartNumber } from "#infra/bulletins/packed-bulletin.ts";
import { FIELD } from "#infra/formats/format-writer.ts";
import { featureOf } from "#infra/formats/json/writer.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { readTextRow } from "#infra/postgres/copy/copied.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import {
  type AskedPool,
  type Connection,
  isoTime,
  type Lookups,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import { filterConditions, orderBy, priceOf } from "./conditions.ts";
import { toExportRow } from "./copied-rows.ts";
import { type IdScope, leadsTo, readIdHolders } from "./events.ts";
import { createPieceWriter, type PageForm } from "./pages.ts";
import {
  bulletinColumn,
  EVENT_COLUMNS,
  EXPORT_COLUMNS,
  eventsShown,
  isPresent,
  ofEvents,
  type ResolvedVersion,
  type VersionRows,
  visibleAt,
} from "./versions.ts";
import type { EventReads } from "./walk.ts";

/** The names and values of a member's JSON, as the API answers an event. */
const MEMBER = sql.join(
  [...ATTRIBUTE_NAMES, "focal_mechanisms", "extra"].map(
    (name) => sql.fragment`${name}::text, ${sql.identifier(["s", name])}`,
  ),
  sql.fragment`, `,
);

/** ISO 8601 UTC with the digits that were submitted. */
const TIME = sql.fragment`left(to_char(s.time, 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  case when s.time_digits = 0 then 19 else 20 + s.time_digits end) || 'Z'`;

/**
 * The members of a merged event `e` as a JSON list, each as in the version that was merged; null where
 * there are none. A member whose catalogue was deleted or is hidden from the reader is left out, and so are those
 * of versions that guests may not read where only public ones are wanted.
 */
function membersOf(wanted: "public" | "all", hidden: readonly string[] | null): FragmentSqlToken {
  const readable =
    wanted === "all" ? sql.fragment`true` : sql.fragment`source.public_from <= merged.version`;
  return sql.fragment`(
    select json_agg(json_build_object('id', s.event_id, 'time', ${TIME}, ${MEMBER}) order by m.place)
    from json_array_elements(e.source_events) with ordinality m (member, place)
    join read_model.catalogues own on own.key = e.catalogue_key
    join read_model.catalogues source on source.id = (m.member ->> 'catalogue_id')::uuid
    cross join lateral (
      select (c ->> 'version')::integer as version
      from json_array_elements(own.source_catalogues) c
      where (c ->> 'id')::uuid = source.id limit 1
    ) merged
    join read_model.seismic_events s on s.catalogue_key = source.key
      and s.event_id = (m.member ->> 'event_id')::uuid and s.revision_from <= merged.version
      and (s.revision_to is null or s.revision_to > merged.version)
    where ${readable} and source.id <> all(${sql.array([...(hidden ?? [])], "uuid")})
  )`;
}

/** The parameters of the event service by which events are chosen. */
export type FacadeFilters = Pick<
  FdsnQuery,
  "filters" | "eventTypes" | "exceptMagnitudeType" | "anyMagnitude"
> & {
  /** Ids of this service; null for all events. */
  readonly eventIds: readonly string[] | null;
  /** Which events are wanted that the version does not have any more; null for none. */
  readonly deleted: WantedDeleted | null;
  /** Names of agencies, in any case; null for all. */
  readonly contributor: string | readonly string[] | null;
  /** The version that events must have been changed after; null for all events. */
  readonly changedAfter: number | null;
};

/** The events of an answer of the event service: those of one version, in an order. */
export type FacadeSelection = {
  readonly version: ResolvedVersion;
  readonly query: FacadeFilters & Pick<FdsnQuery, "order" | "offset" | "limit">;
  /** Whether the time of each event's last change is read. */
  readonly withUpdated: boolean;
  /** Whether the members of merged events are read: those of public catalogues, or of all. */
  readonly members: "none" | "public" | "all";
  /** The parts of bulletins that are read, among them the head; absent for none. */
  readonly bulletins?: readonly PartNumber[];
};

/**
 * Rows of a selection as COPY text, with `FACADE_FIELDS`, the digits of the time and, where they are
 * wanted, a column of `bulletinColumn`.
 */
export function facadeRows(selection: FacadeSelection): FragmentSqlToken {
  const { version, query, withUpdated, members, bulletins } = selection;
  // A text where the row is of an event that the version has no more, else null.
  const deleted =
    query.deleted === null
      ? sql.fragment`null::text`
      : sql.fragment`case when e.revision_to <= ${version.version} then 'deleted' end`;
  const updated = withUpdated ? sql.fragment`u.updated` : sql.fragment`null::text`;
  const source = withUpdated ? updatedJoin(selection) : sql.fragment``;
  const membersOfRow =
    members === "none" ? sql.fragment`null::text` : membersOf(members, version.hidden);
  const matched = query.anyMagnitude ? sql.fragment`matched.place` : sql.fragment`null::integer`;
  const last =
    bulletins === undefined ? sql.fragment`` : sql.fragment`, ${bulletinColumn(bulletins, "e")}`;
  return sql.fragment`
    select ${EXPORT_COLUMNS}, bulletin_sha256, ${updated}, ${membersOfRow}, ${matched},
      ${deleted}, time_digits ${last}
    from ${eventsShown(version, "e")} ${source} ${matchedMagnitude(query)}
    where ${conditions(version, query)}
    ${pageOf(query)}`;
}

function pageOf(query: FacadeSelection["query"]): FragmentSqlToken {
  const { order, offset, limit } = query;
  const end = limit === null ? sql.fragment`` : sql.fragment`limit ${limit}`;
  const skip = offset === 0 ? sql.fragment`` : sql.fragment`offset ${offset}`;
  // That by which they are found.
  const magnitude = query.anyMagnitude
    ? sql.fragment`coalesce(matched.value, magnitude)`
    : undefined;
  return sql.fragment`order by ${orderBy(order, false, magnitude)} ${end} ${skip}`;
}

/** Of the counts in a row, from 1. */
const BYTES = placeOfCount("bytes") + 1;

const Size = z.object({ count: z.int(), bytes: z.int() });

/** The number of the first events of a selection, at most `max`, and the bytes of their bulletins. */
export async function sizeOfFirst(
  pool: Connection,
  { version, query }: Pick<FacadeSelection, "version" | "query">,
  max: number,
): Promise<z.output<typeof Size>> {
  const limit = Math.min(query.limit ?? Number.POSITIVE_INFINITY, max);
  return statementsOn(pool).one(sql.type(Size)`
    select count(*) as count, coalesce(sum(bytes), 0) as bytes from (
      select bulletin_counts[${BYTES}] as bytes
      from read_model.seismic_events e ${matchedMagnitude(query)}
      where ${conditions(version, query)}
      ${pageOf({ ...query, limit })}
    ) first`);
}

/** A version is looked up once for all its events: PostgreSQL remembers the rows of such a join. */
function updatedJoin({ version, query }: FacadeSelection): FragmentSqlToken {
  const lastChange =
    query.deleted === null
      ? sql.fragment`e.revision_from`
      : sql.fragment`case when e.revision_to <= ${version.version} then e.revision_to
          else e.revision_from end`;
  return sql.fragment`
    left join lateral (
      select ${isoTime("v.created_at")} as updated
      from read_model.catalogue_versions v
      where v.catalogue_key = e.catalogue_key and v.version = ${lastChange} limit 1
    ) u on true`;
}

/** The first events of a selection, at most `max`, as COPY lines, and whether there are more. */
export async function firstRows(pool: AskedPool, selection: FacadeSelection, max: number) {
  const { query } = selection;
  const limit = Math.min(query.limit ?? Number.POSITIVE_INFINITY, max + 1);
  const lines: Buffer[] = [];
  const rows = facadeRows({ ...selection, query: { ...query, limit } });
  await eachCopiedRow(await pool.connect(), rows, (line) => lines.push(Buffer.from(line)));
  const more = lines.length > max;
  if (more) lines.pop();
  return { rows: Buffer.concat(lines), count: lines.length, more };
}

/** Number of events of a selection without order, offset and limit. */
export async function countSelected(
  pool: Connection,
  version: ResolvedVersion,
  query: FacadeFilters,
): Promise<number> {
  const { deleted } = query;
  if (!isFiltered(query) && deleted?.which !== "only") {
    if (deleted === null) return version.eventCount;
    const only = { ...query, deleted: { ...deleted, which: "only" as const } };
    return version.eventCount + (await countSelected(pool, version, only));
  }
  const { count } = await statementsOn(pool).one(sql.type(Count)`${countQuery(version, query)}`);
  return count;
}

const Count = z.object({ count: z.int() });

/** A magnitude is looked up in the bulletin of each row. */
const LOOKED_UP = 50;

/**
 * Of looking through all of a selection, or for its first events, which are found at once where all are meant. How
 * many events the version has no more is not known.
 */
export function priceOfSelected(
  { eventCount }: ResolvedVersion,
  query: FacadeFilters & Pick<FdsnQuery, "offset">,
  first: number,
): number {
  const { filters, eventIds, deleted, anyMagnitude } = query;
  if (eventIds !== null) return priceOf({ rows: eventIds.length, filters });
  if (deleted !== null) return Number.POSITIVE_INFINITY;
  const rows = isFiltered(query) ? eventCount : Math.min(query.offset + first, eventCount);
  return priceOf({ rows, filters, further: anyMagnitude ? LOOKED_UP : 1 });
}

export function countQuery(version: ResolvedVersion, query: FacadeFilters): FragmentSqlToken {
  return sql.fragment`
    select count(*) as count from read_model.seismic_events e ${matchedMagnitude(query)}
    where ${conditions(version, query)}`;
}

function isFiltered({ filters, eventTypes, eventIds, changedAfter, contributor }: FacadeFilters) {
  return (
    Object.keys(filters).length > 0 ||
    eventTypes !== null ||
    eventIds !== null ||
    changedAfter !== null ||
    contributor !== null
  );
}

function conditions(version: ResolvedVersion, query: FacadeFilters): FragmentSqlToken {
  const { magnitudeType, minMagnitude, maxMagnitude, ...others } = query.filters;
  const { eventTypes: types, eventIds } = query;
  const ofShown = ofShownMagnitude(query);
  // By a joined magnitude, or by the shown one of an event without a bulletin, which has no other.
  const ofMagnitude = query.anyMagnitude
    ? sql.fragment`case when bulletin_revision is null then ${ofShown} else matched.place is not null end`
    : ofShown;
  const ofType = sql.fragment`event_type = any(${sql.array(types?.values ?? [], "text")})`;
  const all = [
    eventsWanted(version, query.deleted),
    filterConditions(others),
    ofMagnitude,
    types && (types.withUnknown ? sql.fragment`(${ofType} or event_type is null)` : ofType),
    eventIds && ofEvents(eventIds),
    changedAfterVersion(version, query),
    ofContributor(query.contributor),
  ].filter((condition) => condition !== null);
  return sql.fragment`${sql.join(all, sql.fragment` and `)}`;
}

/**
 * The latest version that was committed at a time or before; 0 before the first. As a number in the query
 * it lets the planner tell few changes from many.
 */
export async function versionCommittedBy(lookups: Lookups, { key }: ResolvedVersion, time: string) {
  const row = await lookups.maybeOne(sql.type(z.object({ version: z.int() }))`
    select coalesce(max(version), 0) as version from read_model.catalogue_versions
    where catalogue_key = ${key} and created_at <= ${time}::timestamptz`);
  return row?.version ?? 0;
}

function ofContributor(contributor: FacadeFilters["contributor"]): FragmentSqlToken | null {
  if (contributor === null) return null;
  const names = [contributor].flat().map((name) => sql.fragment`lower(${name})`);
  return names.length === 0
    ? sql.fragment`false`
    : sql.fragment`lower(agency_id) in (${sql.join(names, sql.fragment`, `)})`;
}

/**
 * Events that an earlier version had and the version has no more, of those from `from` on (`firstReadable`):
 * beside the version's own events, or alone.
 */
type WantedDeleted = { readonly which: "also" | "only"; readonly from: number };

/** The rows `e` of a version's events and of the wanted ones that it has no more: of each its last. */
function eventsWanted(version: VersionRows, deleted: WantedDeleted | null): FragmentSqlToken {
  if (deleted === null) return visibleAt(version);
  const { key, version: number } = version;
  const isLast = sql.fragment`not exists (
    select from read_model.seismic_events later
    where later.catalogue_key = e.catalogue_key and later.event_id = e.event_id
      and later.revision_from >= e.revision_to and later.revision_from <= ${number})`;
  const isDeleted = sql.fragment`e.revision_to <= ${number} and e.revision_to > ${deleted.from}
    and ${isLast}`;
  const wanted =
    deleted.which === "only"
      ? isDeleted
      : sql.fragment`(e.revision_to is null or e.revision_to > ${number} or (${isDeleted}))`;
  return sql.fragment`e.catalogue_key = ${key} and e.revision_from <= ${number} and ${wanted}
    and ${isPresent(version)}`;
}

/** By the version that last changed or removed the event. */
function changedAfterVersion({ version }: VersionRows, { changedAfter, deleted }: FacadeFilters) {
  if (changedAfter === null) return null;
  const isChanged = sql.fragment`revision_from > ${changedAfter}`;
  if (deleted === null) return isChanged;
  return sql.fragment`(${isChanged}
    or (revision_to > ${changedAfter} and revision_to <= ${version}))`;
}

export type MagnitudeFilters = Pick<FdsnQuery, "filters" | "exceptMagnitudeType" | "anyMagnitude">;

/** By the type and the bounds of the magnitude that the row shows. */
function ofShownMagnitude({
  filters: { magnitudeType, minMagnitude, maxMagnitude },
  exceptMagnitudeType,
}: MagnitudeFilters): FragmentSqlToken {
  const ofType = filterConditions({ magnitudeType, minMagnitude, maxMagnitude });
  return exceptMagnitudeType === null
    ? ofType
    : sql.fragment`${ofType} and magnitude_type <> ${exceptMagnitudeType}`;
}

/**
 * Joins as `matched` to events `e` the magnitude of the bulletin by which each is found, with its place
 * in the bulletin: of those of the type that are within all bounds the preferred one, else the largest.
 * Nothing is joined where the shown magnitude is meant.
 */
function matchedMagnitude({
  filters: { magnitudeType = [], minMagnitude, maxMagnitude },
  exceptMagnitudeType,
  anyMagnitude,
}: MagnitudeFilters): FragmentSqlToken {
  if (!anyMagnitude) return sql.fragment``;
  const conditions = [
    sql.fragment`lower(m.type) = any(${sql.array(magnitudeType, "text")})`,
    ...(exceptMagnitudeType === null ? [] : [sql.fragment`m.type <> ${exceptMagnitudeType}`]),
    ...(minMagnitude === undefined ? [] : [sql.fragment`m.value >= ${minMagnitude}`]),
    ...(maxMagnitude === undefined ? [] : [sql.fragment`m.value <= ${maxMagnitude}`]),
  ];
  return sql.fragment`
    left join lateral (
      select m.value, m.place from read_model.bulletin_magnitudes m
      where m.catalogue_key = e.catalogue_key and m.event_id = e.event_id
        and m.revision = e.bulletin_revision and ${sql.join(conditions, sql.fragment` and `)}
      order by m.preferred desc, m.value desc, m.place limit 1
    ) matched on true`;
}

/** How an event came to be in a version no more. */
export type Removal = {
  readonly eventId: string;
  /** The version that removed it. */
  readonly removedBy: number;
  /** The last version that has it. */
  readonly last: number;
  /** The event to which one of its ids leads in the version; null for none. */
  readonly successor: string | null;
};

const Row = z.object({ removedBy: z.int(), last: z.int(), ids: z.array(z.string()) });

/** @param eventId of an event that has been in a version of the scope and is not there in the last */
export async function readRemoval(pool: Statements, scope: IdScope, eventId: string) {
  const { key, version, from } = scope;
  const { ids, ...removal } = await pool.one(sql.type(Row)`
    select ended as "removedBy", ids, (
      select max(v.version) from read_model.catalogue_versions v
      where v.catalogue_key = ${key} and v.version < ended
    ) as last
    from (
      select max(revision_to) as ended,
        array_remove(array_agg(distinct source_id)
          || array_agg(distinct extra ->> 'public_id'), null) as ids
      from read_model.seismic_events
      where catalogue_key = ${key} and event_id = ${eventId}::uuid
        and revision_to > ${from} and revision_to <= ${version}
    ) rows`);
  const holders = await readIdHolders(pool, scope, ids);
  const others = ids.flatMap((id) => leadsTo(holders.get(id) ?? []));
  const [successor = null] = others.toSorted((a, b) => Number(b.has) - Number(a.has));
  return { eventId, ...removal, successor: successor?.eventId ?? null };
}

/** Versions never change, so what was read of one is kept; the least recently read ones are dropped. */
const KEPT_VERSIONS = 200;

const Values = z.object({ agencies: z.array(z.string()), magnitudeTypes: z.array(z.string()) });

/** The values of attributes in the events of one version, in order. */
export type KnownValues = Readonly<z.infer<typeof Values>>;

export type ReadKnownValues = ReturnType<typeof createKnownValues>;

/** Reads the values of a version; at once for versions read lately. */
export function createKnownValues() {
  const remembered = createRecent<KnownValues>(KEPT_VERSIONS);
  return async (
    { search }: Pick<EventReads, "search">,
    version: ResolvedVersion,
  ): Promise<KnownValues> => {
    const key = `${version.id} ${version.version}`;
    const cost = {
      price: priceOf({ rows: version.eventCount, filters: {}, further: 4 }),
      events: 0,
    };
    // Others may have read them until it is the turn.
    const known =
      remembered.get(key) ??
      (await search(cost, async (pool) => remembered.get(key) ?? readValues(pool, version)));
    return remembered.keep(key, known);
  };
}

function readValues(pool: AskedPool, version: ResolvedVersion): Promise<KnownValues> {
  return statementsOn(pool).one(sql.type(Values)`
    with found as (
      select agency_id, magnitude_type from read_model.seismic_events
      where ${visibleAt(version)} group by agency_id, magnitude_type
    )
    select
      coalesce((select json_agg(distinct agency_id) from found where agency_id is not null), '[]')
        as agencies,
      coalesce(
        (select json_agg(distinct magnitude_type) from found where magnitude_type is not null), '[]')
        as "magnitudeTypes"`);
}

/** Pages of GeoJSON Features as an export has them. */
export const AS_FEATURES: PageForm = {
  columns: EVENT_COLUMNS,
  createWriter: (limit, reversed) => createPieceWriter(limit, reversed, featureIn),
};

function featureIn(line: Buffer) {
  const row = readTextRow(line.toString("utf8", 0, line.length - 1));
  const magnitude = row[FIELD.magnitude] ?? null;
  const key = {
    magnitude: magnitude === null ? null : Number(magnitude),
    time: row[FIELD.time] ?? "",
    id: row[FIELD.id] ?? "",
  };
  const json = Buffer.from(featureOf(toExportRow(row)));
  return { json, key, bytes: json.length };
}
