/**
 * Which version of a catalogue is read, which rows of read_model.seismic_events are its own,
 * what its reader sees of them, and the columns of which events are made.
 */

import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { countsStored } from "#contracts/bulletin/counts.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/packed-bulletin.ts";
import type { KeptBulletin } from "#infra/log/chunks.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { EVENT_COLUMN_NAMES, FIELD_NAMES, toIsoTime } from "./copied-rows.ts";
import { uuidOrNull } from "./lists.ts";
import {
  CatalogueFacts,
  catalogueFacts,
  hiddenSources,
  isThereFor,
  type Reader,
  seesMoreThanGuests,
} from "./rights.ts";

const ResolvedVersion = CatalogueFacts.pick({
  id: true,
  key: true,
  version: true,
  eventCount: true,
  publicFrom: true,
  hidden: true,
  seesMore: true,
});

/** One version of a catalogue and its events; version 0 precedes the first one and has none. */
export type ResolvedVersion = Readonly<z.infer<typeof ResolvedVersion>>;

/** The members by which the rows of a version are found. */
export type VersionRows = Pick<ResolvedVersion, "key" | "version">;

/** The requested version, and who requests it. */
export type VersionRequest = {
  readonly catalogueId: string;
  readonly asOf?: string | undefined;
  /** Guests are allowed public versions only. */
  readonly reader: Reader;
  /** What the way of the request has read of the catalogue already: its latest version is in it. */
  readonly facts?: CatalogueFacts | null | undefined;
  /** What the request calls its `asOf`, where that is another name. */
  readonly parameter?: string;
};

/** More digits than any version number has. */
const VERSION_DIGITS = 9;

const NO_SUCH_VERSION = "There is no such version";

/**
 * The version for a read: the latest committed one, or that of `asOf`, which is a version number or
 * a time and then means the version that was the latest at that time. For guests, versions before
 * the publication do not exist.
 * @throws Refusal NOT_FOUND for an unknown catalogue or version, UNAUTHENTICATED for a guest if the
 * catalogue is private, VALIDATION_ERROR for a malformed asOf
 */
export async function resolveVersion(
  lookups: Lookups,
  { catalogueId, asOf, reader, facts, parameter = "asOf" }: VersionRequest,
): Promise<ResolvedVersion> {
  const isGuest = reader.kind === "guest";
  const id = uuidOrNull(catalogueId);
  if (asOf === undefined) {
    const latest = facts ?? (await catalogueFacts(lookups, catalogueId, reader));
    return allowed(latest, "Catalogue not found", isGuest);
  }
  if (/^\d+$/.test(asOf)) {
    const version = asOf.length > VERSION_DIGITS ? -1 : Number(asOf);
    const named = await committed(lookups, id, reader, sql.fragment`v.version = ${version}`);
    return allowed(named, NO_SUCH_VERSION, isGuest);
  }
  const time = parseTime(asOf, "down");
  if (time === null) {
    throw invalid(parameter, "is neither a version number nor a time");
  }
  const by = sql.fragment`v.created_at <= ${time}::timestamptz`;
  const then = await committed(lookups, id, reader, by);
  return allowed(then, "There was no version at that time", isGuest);
}

/** The first version that exists for a reader; guests read public catalogues only. */
export function firstReadable({ publicFrom }: ResolvedVersion, isGuest: boolean): number {
  return isGuest && publicFrom !== null ? publicFrom : 0;
}

/** Whether guests may read a version. Version 0 has nothing to hide. */
export function isPublicVersion({
  version,
  publicFrom,
}: Pick<ResolvedVersion, "version" | "publicFrom">): boolean {
  return publicFrom !== null && (version === 0 || version >= publicFrom);
}

/**
 * Checks that guests may read the version.
 * @throws Refusal UNAUTHENTICATED; NOT_FOUND with the sentence for an unknown version
 */
export function requireReadable(
  version: Pick<ResolvedVersion, "version" | "publicFrom">,
  isGuest: boolean,
  otherwise: string = NO_SUCH_VERSION,
): void {
  if (!isGuest || isPublicVersion(version)) return;
  if (version.publicFrom === null) throw new Refusal("UNAUTHENTICATED");
  throw new Refusal("NOT_FOUND", otherwise);
}

/** @throws Refusal NOT_FOUND when the catalogue of a version is gone */
export async function requirePresent(lookups: Lookups, version: VersionRows): Promise<void> {
  const row = await lookups.maybeOne(sql.type(z.object({ present: z.boolean() }))`
    select ${isPresent(version)} as present`);
  if (!row?.present) throw new Refusal("NOT_FOUND", "Catalogue not found");
}

/** The rows visible in a version. None once its catalogue is deleted, when they are removed bit by bit. */
export function visibleAt(version: VersionRows): FragmentSqlToken {
  return sql.fragment`${rowsOf(version)} and ${isPresent(version)}`;
}

/** Rows of a version whose catalogue certainly exists: in the snapshot in which it was resolved. */
export function rowsOf({ key, version }: VersionRows): FragmentSqlToken {
  return sql.fragment`catalogue_key = ${key} and revision_from <= ${version}
    and (revision_to is null or revision_to > ${version})`;
}

/** Rows of some events; of all for null. */
export function ofEvents(ids: readonly string[] | null): FragmentSqlToken {
  return ids === null
    ? sql.fragment`true`
    : sql.fragment`event_id = any(${sql.array([...ids], "uuid")})`;
}

/** Whether a catalogue exists still: its rows outlive it for a while. */
export function isPresent({ key }: Pick<VersionRows, "key">): FragmentSqlToken {
  return sql.fragment`exists (select from read_model.catalogues where key = ${key})`;
}

function committed(
  lookups: Lookups,
  id: string | null,
  reader: Reader,
  condition: FragmentSqlToken,
): Promise<ResolvedVersion | null> {
  return lookups.maybeOne(sql.type(ResolvedVersion)`
    select c.id, c.key, v.version, v.event_count as "eventCount", c.public_from as "publicFrom",
      ${hiddenSources(reader, "c")} as hidden, ${seesMoreThanGuests(reader, "c")} as "seesMore"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key
    where c.id = ${id}::uuid and ${isThereFor(reader, "c")} and ${condition}
    order by v.version desc limit 1`);
}

function allowed(version: ResolvedVersion | null, otherwise: string, isGuest: boolean) {
  if (version === null) throw new Refusal("NOT_FOUND", otherwise);
  requireReadable(version, isGuest, otherwise);
  return version;
}

const OTHERS = [
  ...EVENT_COLUMN_NAMES.filter((name) => name !== "source_events"),
  "catalogue_key",
  "revision_from",
  "revision_to",
  "bulletin_revision",
  "bulletin_counts",
];

/** What is left of a member whose catalogue is hidden, in the order in which members are written. */
const NAMELESS = sql.fragment`json_build_object('catalogue_id', null, 'event_id', null,
  'source_id', null, 'source', null, 'time_difference', member -> 'time_difference',
  'distance', member -> 'distance', 'quality_score', member -> 'quality_score',
  'chosen', member -> 'chosen')`;

/**
 * The events of a catalogue for a statement's `from`, as its reader may see them: members of merged events are
 * nameless where their catalogue is hidden from him. The conditions of the statement reach the table itself.
 */
export function eventsShown({ hidden }: Pick<ResolvedVersion, "hidden">, name = "seismic_events") {
  const alias = sql.identifier([name]);
  if (hidden === null) return sql.fragment`read_model.seismic_events ${alias}`;
  return sql.fragment`(
    select ${columns(OTHERS)}, case when source_events is not null then (
      select json_agg(case
        when member ->> 'catalogue_id' = any(${sql.array([...hidden], "text")}) then ${NAMELESS}
        else member end order by place)
      from json_array_elements(source_events) with ordinality members (member, place)
    ) end as source_events
    from read_model.seismic_events) ${alias}`;
}

/** A row of read_model.seismic_events as selected by `EVENT_COLUMNS`, or `WHOLE_COLUMNS`. */
export type EventRow = SeismicEventRecord & {
  readonly event_id: string;
  readonly bulletin_sha256: Uint8Array | null;
  readonly bulletin_counts?: readonly number[] | null;
  readonly bulletin_revision?: number | null;
  /** PostgreSQL's text in UTC: `2016-11-13 11:02:56.346+00`, without trailing zeros. */
  readonly time: string;
  readonly time_digits: number;
};

const LISTED = FIELD_NAMES.filter((name) => name !== "source_events");

/** In the order of STORED_COUNTS. */
const BULLETIN_MEMBERS = sql.fragment`
  case when bulletin_sha256 is not null then
    format('"bulletin_sha256":"%s","bulletin_counts":{"origins":%s,"magnitudes":%s,'
        '"station_magnitudes":%s,"amplitudes":%s,"picks":%s,"arrivals":%s,"focal_mechanisms":%s,'
        '"comments":%s,"bytes":%s}',
      encode(bulletin_sha256, 'hex'), bulletin_counts[1], bulletin_counts[2], bulletin_counts[3],
      bulletin_counts[4], bulletin_counts[5], bulletin_counts[6], bulletin_counts[7],
      bulletin_counts[8], bulletin_counts[9]) end`;

/** Names for a `select`. @param table by its name in the query, where others have such columns too */
export function columns(names: readonly string[], ...table: string[]): FragmentSqlToken {
  const list = names.map((name) => sql.identifier([...table, name]));
  return sql.fragment`${sql.join(list, sql.fragment`, `)}`;
}

const ALL: readonly PartNumber[] = Object.values(PARTS);

const BULLETIN = sql.fragment`${bulletinColumn()},`;

function pageColumns(further: FragmentSqlToken, bulletin: FragmentSqlToken = sql.fragment``) {
  return sql.fragment`${columns(LISTED)},
    coalesce(json_array_length(source_events), 1) as source_count, ${further}
    ${BULLETIN_MEMBERS}, ${bulletin} time_digits`;
}

// Joined once, so that queries need not join the names each time.
export const EVENT_COLUMNS = columns(EVENT_COLUMN_NAMES);
/** EVENT_COLUMNS with all that a row knows of its bulletin. */
export const WHOLE_COLUMNS = sql.fragment`${EVENT_COLUMNS}, bulletin_revision, bulletin_counts`;
export const LISTED_COLUMNS = columns([...LISTED, "bulletin_sha256", "time_digits"]);
/**
 * The fields of a listed event, the number of its members (1 where unmerged), the members of its JSON
 * that tell of its bulletin, as text, and the digits of the time.
 */
export const PAGE_COLUMNS = pageColumns(sql.fragment``);
/** The same with the members themselves. */
export const PAGE_COLUMNS_WITH_SOURCES = pageColumns(sql.fragment`source_events,`);
/** PAGE_COLUMNS with the bulletins themselves before the digits of the time. */
export const PAGE_COLUMNS_WITH_BULLETINS = pageColumns(sql.fragment``, BULLETIN);
export const PAGE_COLUMNS_WITH_BOTH = pageColumns(sql.fragment`source_events,`, BULLETIN);
/** The fields of an export row alone. */
export const EXPORT_COLUMNS = columns(FIELD_NAMES);

export function toSeismicEvent(row: EventRow): SeismicEvent {
  const {
    event_id: id,
    time,
    time_digits: digits,
    bulletin_sha256: sha256,
    bulletin_counts: counts,
    bulletin_revision: _,
    ...attributes
  } = row;
  return {
    id,
    time: toIsoTime(time, digits),
    ...attributes,
    ...(sha256 && { bulletin_sha256: Buffer.from(sha256).toString("hex") }),
    ...(counts && { bulletin_counts: countsStored(counts) }),
  };
}

/** A row of `WHOLE_COLUMNS` as one that keeps its bulletin; null where it has none. */
export function keptBulletin(row: EventRow): KeptBulletin | null {
  const { bulletin_sha256: sha256, bulletin_counts: counts, bulletin_revision: revision } = row;
  if (!sha256 || !counts || typeof revision !== "number") return null;
  return {
    sha256: Buffer.from(sha256).toString("hex"),
    counts: countsStored(counts),
    revision,
  };
}

/**
 * A column for queries on read_model.seismic_events: the pieces of the row's bulletin in one value, each
 * with its part (16 bits) and its length (32 bits) before it; null where there is none.
 * @param parts of it, among them the head
 * @param events the table's name in the query
 */
export function bulletinColumn(parts: readonly PartNumber[] = ALL, events = "seismic_events") {
  const column = (name: string) => sql.identifier([events, name]);
  return sql.fragment`
    case when ${column("bulletin_revision")} is not null then (
      select string_agg(int2send(b.part) || int4send(length(b.bytes)) || b.bytes, ''::bytea
        order by b.part, b.piece)
      from read_model.bulletins b
      where b.catalogue_key = ${column("catalogue_key")} and b.event_id = ${column("event_id")}
        and b.revision = ${column("bulletin_revision")} ${onlyOf(parts)}) end`;
}

function onlyOf(parts: readonly PartNumber[]): FragmentSqlToken {
  if (parts.length === ALL.length) return sql.fragment``;
  const listed = parts.map((part) => sql.fragment`${part}`);
  return sql.fragment`and b.part in (${sql.join(listed, sql.fragment`, `)})`;
}
