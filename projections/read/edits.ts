/** Lookups for edits, in the events of the latest version; open revisions do not affect them. */

import type { ClientBase } from "pg";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type Bounds, extendBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import { bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { KeptBulletin } from "#infra/log/chunks.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { filterConditions } from "./conditions.ts";
import {
  createRecordReader,
  EVENT_COLUMN_COUNT,
  KEPT_BULLETIN_COLUMNS,
  readCopiedBulletin,
  readKeptBulletin,
  toIsoTime,
} from "./copied-rows.ts";
import { uuidOrNull } from "./lists.ts";
import {
  bulletinColumn,
  columns,
  EVENT_COLUMNS,
  type EventRow,
  keptBulletin,
  ofEvents,
  rowsOf,
  toSeismicEvent,
  type VersionRows,
  WHOLE_COLUMNS,
} from "./versions.ts";

/** The read model's key and latest version of a catalogue; null for an unknown one. */
export function presentRevision(pool: CommonQueryMethods, catalogueId: string) {
  return pool.maybeOne(sql.type(z.object({ key: z.int(), version: z.int() }))`
    select key, version from read_model.catalogues where id = ${catalogueId}`);
}

/** Whether a revision of the catalogue was given up and is still being undone: until then none can be planned. */
export async function isBeingUndone(pool: Statements, catalogueId: string): Promise<boolean> {
  const left = await pool.maybeOne(sql.unsafe`
    select from read_model.catalogues where id = ${catalogueId}
      and exists (select from read_model.abandoned_revisions where catalogue_key = key)`);
  return left !== null;
}

/** An event, and its bulletin as the log knows it. */
export type FoundEvent = {
  readonly event: SeismicEvent;
  readonly bulletin: KeptBulletin | null;
};

export async function eventById(pool: Statements, base: VersionRows, eventId: string) {
  const row = await pool.maybeOne(sql.unsafe`
    select ${WHOLE_COLUMNS} from read_model.seismic_events
    where ${rowsOf(base)} and event_id = ${uuidOrNull(eventId)}::uuid`);
  if (row === null) return null;
  return { event: toSeismicEvent(row as EventRow), bulletin: keptBulletin(row as EventRow) };
}

/** Where an event lies, in space, time and magnitude. */
export type EventPlace = Pick<SeismicEvent, "id" | "time" | "latitude" | "longitude" | "magnitude">;

type PlaceRow = Omit<EventPlace, "id"> & Pick<EventRow, "event_id" | "time_digits">;

/** Those of the events that the version has, in no particular order. Thousands at once. */
export async function placesOf(pool: Statements, base: VersionRows, eventIds: readonly string[]) {
  const rows = await pool.any(sql.unsafe`
    select event_id, time, time_digits, latitude, longitude, magnitude
    from read_model.seismic_events
    where ${rowsOf(base)} and ${ofEvents(eventIds)}`);
  return (rows as readonly PlaceRow[]).map(({ event_id: id, time, time_digits, ...place }) => ({
    id,
    time: toIsoTime(time, time_digits),
    ...place,
  }));
}

const KNOWN_MAGNITUDE = sql.fragment`coalesce(magnitude, '-infinity'::double precision)`;

/** The order in which the event at each bound comes first; for times and magnitudes an index has it. */
const EDGE_FIRST: Record<keyof Bounds, FragmentSqlToken> = {
  min_latitude: sql.fragment`latitude`,
  max_latitude: sql.fragment`latitude desc`,
  min_longitude: sql.fragment`longitude`,
  max_longitude: sql.fragment`longitude desc`,
  min_magnitude: KNOWN_MAGNITUDE,
  max_magnitude: sql.fragment`${KNOWN_MAGNITUDE} desc`,
  start_time: sql.fragment`time, time_digits`,
  end_time: sql.fragment`time desc, time_digits desc`,
};

/** The named bounds of the version's events without the given ones; null when none is left. */
export async function boundsWithout(
  pool: CommonQueryMethods,
  base: VersionRows,
  eventIds: readonly string[],
  names: readonly (keyof Bounds)[],
): Promise<Partial<Bounds>> {
  const bounds: Partial<Record<keyof Bounds, number | string | null>> = {};
  for (const name of names) {
    const unknown = name.endsWith("magnitude")
      ? sql.fragment`magnitude is null`
      : sql.fragment`false`;
    const row = await pool.maybeOne(sql.unsafe`
      select ${EVENT_COLUMNS} from read_model.seismic_events
      where ${rowsOf(base)} and not (${unknown})
        and not (${ofEvents(eventIds)})
      order by ${EDGE_FIRST[name]} limit 1`);
    const ofEvent = { ...NO_BOUNDS };
    if (row !== null) extendBounds(ofEvent, toSeismicEvent(row as EventRow));
    bounds[name] = ofEvent[name];
  }
  return bounds as Partial<Bounds>;
}

const OpenRevision = z.object({ catalogueId: z.string(), revision: z.int(), worker: z.string() });

export function openRevisions(pool: CommonQueryMethods) {
  return pool.any(sql.type(OpenRevision)`
    select id as "catalogueId", open_revision as revision, open_worker as worker
    from read_model.catalogues where open_revision is not null`);
}

type Known = EventIds & { readonly id: string };

/** An event of the catalogue, with what its row knows of its bulletin. */
export type KnownWhole = Known & {
  readonly event: SeismicEvent;
  readonly bulletin: KeptBulletin | null;
};

/** Whole events, through the pool. */
export function readKnownEvents(
  pool: CommonQueryMethods,
  base: VersionRows,
  events: readonly EventIds[],
): Promise<KnownWhole[]> {
  return collect(events, async function* (condition) {
    const rows = await pool.any(sql.unsafe`
      select ${WHOLE_COLUMNS} from read_model.seismic_events where ${rowsOf(base)} and ${condition}`);
    for (const row of rows as readonly EventRow[]) {
      yield known(toSeismicEvent(row), keptBulletin(row));
    }
  });
}

const COLUMNS = [
  "event_id",
  "time",
  "time_digits",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES,
  ...KEPT_BULLETIN_COLUMNS,
];
const BULLETIN = COLUMNS.length - KEPT_BULLETIN_COLUMNS.length;
const EVENT_ID = COLUMNS.indexOf("event_id");
const COLUMN_LIST = columns(COLUMNS);
const recordOf = createRecordReader(COLUMNS);

/**
 * Whole events by COPY, which is faster when most of them are there.
 * @param client a connection of the caller
 */
export function copyKnownEvents(
  client: ClientBase,
  base: VersionRows,
  events: readonly EventIds[],
): Promise<KnownWhole[]> {
  return collect(events, (condition) => copyWhere(client, base, condition));
}

/** One event by its id; null where it is not there. @param client a connection of the caller */
export async function copyEvent(client: ClientBase, base: VersionRows, id: string) {
  let found: KnownWhole | null = null;
  // Read to its end: the connection stays usable.
  for await (const event of copyWholeById(client, base, [id])) found = event;
  return found;
}

/**
 * Events by their ids with their bulletins, one after the other.
 * @param client a connection of the caller, which is in use until the last is read
 * @throws CorruptBulletin
 */
export async function* copyWithBulletins(
  client: ClientBase,
  base: VersionRows,
  ids: readonly string[],
): AsyncGenerator<{ readonly known: KnownWhole; readonly bulletin: Bulletin | null }> {
  // Rows that the caller's own revision has superseded meanwhile are those of the base.
  const query = sql.fragment`
    select ${COLUMN_LIST}, ${bulletinColumn()} from read_model.seismic_events
    where ${rowsOf(base)} and ${ofEvents(ids)}`;
  for await (const rows of copyRows(client, query)) {
    for (const row of rows) {
      yield { known: readKnown(row), bulletin: readCopiedBulletin(row[COLUMNS.length] ?? null) };
    }
  }
}

/** The events with some ids that are there. @param client a connection of the caller */
export function copyWholeById(client: ClientBase, base: VersionRows, ids: readonly string[]) {
  return copyWhere(client, base, sql.fragment`${IS_PRESENT} and ${ofEvents(ids)}`);
}

/** The same, whether a revision that is open has superseded them or not. */
export function copyWholeAt(client: ClientBase, base: VersionRows, ids: readonly string[]) {
  return copyWhere(client, base, ofEvents(ids));
}

async function* copyWhere(client: ClientBase, base: VersionRows, condition: FragmentSqlToken) {
  const query = sql.fragment`
    select ${COLUMN_LIST} from read_model.seismic_events where ${rowsOf(base)} and ${condition}`;
  for await (const rows of copyRows(client, query)) yield* rows.map(readKnown);
}

function readKnown(row: TextRow): KnownWhole {
  const event = { id: row[EVENT_ID] ?? "", ...recordOf(row) };
  return known(event, readKeptBulletin(row, BULLETIN));
}

/**
 * Ids only.
 * @param client a connection of the caller
 */
export function copyKnownIds(client: ClientBase, base: VersionRows, events: readonly EventIds[]) {
  return collect(events, async function* (condition) {
    const query = sql.fragment`
      select event_id, source_id, extra -> 'public_id' from read_model.seismic_events
      where ${rowsOf(base)} and ${condition}`;
    for await (const rows of copyRows(client, query)) {
      for (const [id, sourceId = null, publicId = null] of rows) {
        const extra: JsonObject = { public_id: publicId === null ? null : JSON.parse(publicId) };
        yield { id: id ?? "", ...idsOf({ source_id: sourceId, extra }) };
      }
    }
  });
}

function known(event: SeismicEvent, bulletin: KeptBulletin | null): KnownWhole {
  return { id: event.id, ...idsOf(event), event, bulletin };
}

/** Not superseded by an open revision either; the indexes cover such rows. */
const IS_PRESENT = sql.fragment`revision_to is null`;

/**
 * Finds events of the latest version that may be the ones with some ids: with the same `source_id` or public
 * id, or with the same bare id inside a longer `source_id`. Handles thousands at once in at most
 * three queries, each with its own index.
 */
async function collect<K extends Known>(
  events: readonly EventIds[],
  read: (condition: FragmentSqlToken) => AsyncIterable<K>,
): Promise<K[]> {
  const byId = new Map<string, K>();
  const add = async (ids: Iterable<string>, condition: typeof hasSourceId): Promise<void> => {
    const list = [...ids];
    if (list.length === 0) return;
    const events = read(sql.fragment`${IS_PRESENT} and ${condition(list)}`);
    for await (const event of events) byId.set(event.id, event);
  };

  const sourceIds = new Set<string>();
  const publicIds = new Set<string>();
  const bareIds = new Set<string>();
  for (const event of events) {
    const bareId = bareIdOf(event);
    for (const id of [event.sourceId, event.publicId, bareId]) if (id !== null) sourceIds.add(id);
    if (event.publicId !== null) publicIds.add(event.publicId);
    else if (bareId !== null) bareIds.add(bareId);
  }
  await add(sourceIds, hasSourceId);
  for (const { publicId } of byId.values()) if (publicId !== null) publicIds.delete(publicId);
  await add(publicIds, hasPublicId);
  await add(bareIds, bearsBareId);
  return [...byId.values()];
}

/** Conditions on read_model.seismic_events, written like its index expressions. */
export function hasSourceId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id = any(${sql.array([...ids], "text")})`;
}

export const PUBLIC_ID = sql.fragment`left(extra ->> 'public_id', 255)`;

/** A longer text is not a public id, although its beginning may look like one. */
export function hasPublicId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`extra is not null
    and ${PUBLIC_ID} = any(${sql.array([...ids], "text")})`;
}

/** The bare id in a `source_id`, as defined in contracts/seismic-event/public-ids.ts. */
export const BARE_ID = sql.fragment`coalesce(
  substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
  substring(
    regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))`;

/** Events whose `source_id` contains one of the bare ids without being it. */
export function bearsBareId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id ~ '[/?&]' and ${BARE_ID} = any(${sql.array([...ids], "text")})`;
}

/**
 * The values of a member of `extra`, a text, that events have had up to a version.
 * @param client a connection of the caller
 */
export async function* copyExtraMember(
  client: ClientBase,
  { key, version }: VersionRows,
  ids: readonly string[],
  member: string,
): AsyncGenerator<{ readonly id: string; readonly value: string }> {
  const query = sql.fragment`
    select event_id, extra ->> ${member} from read_model.seismic_events
    where catalogue_key = ${key} and ${ofEvents(ids)}
      and revision_from <= ${version} and extra ->> ${member} is not null`;
  for await (const rows of copyRows(client, query)) {
    for (const [id, value] of rows) if (id && value) yield { id, value };
  }
}

/** Events of a version with a magnitude of some types. */
export type ConvertibleEvents = {
  readonly version: VersionRows;
  readonly filters: EventFilters;
  /** In lower case. */
  readonly types: readonly string[];
};

/** Of the bulletin in a row: behind EVENT_COLUMNS. */
export const BULLETIN_PLACE = EVENT_COLUMN_COUNT;

/** Rows of EVENT_COLUMNS and the bulletin (`readCopiedBulletin`), in batches. */
export function convertibleRows(client: ClientBase, events: ConvertibleEvents) {
  return copyRows(
    client,
    sql.fragment`
      select ${EVENT_COLUMNS}, ${bulletinColumn()} from read_model.seismic_events
      where ${rowsOf(events.version)} and ${isConvertible(events)}`,
  );
}

const OthersRow = z.object({
  convertible: z.int(),
  least: z.number().nullable(),
  greatest: z.number().nullable(),
});

/** The number of these events, and the least and greatest magnitude of all others of the version. */
export function besideConvertible(client: ClientBase, events: ConvertibleEvents) {
  return statementsOn(client).one(sql.type(OthersRow)`
    select (count(*) filter (where convertible))::int as convertible,
      min(magnitude) filter (where not convertible) as least,
      max(magnitude) filter (where not convertible) as greatest
    from (
      select magnitude, coalesce(${isConvertible(events)}, false) as convertible
      from read_model.seismic_events where ${rowsOf(events.version)}
    ) e`);
}

function isConvertible({ filters, types }: ConvertibleEvents): FragmentSqlToken {
  return sql.fragment`(magnitude is not null
    and lower(magnitude_type) = any(${sql.array([...types], "text")})
    and ${filterConditions(filters)})`;
}
