import type { ClientBase } from "pg";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import { bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { KeptBulletin } from "#infra/event-log/chunk-writer.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { bulletinColumn } from "../events/bulletin-column.ts";
import { readCopiedBulletin } from "../events/copied-event.ts";
import {
  createRecordReader,
  type EventRow,
  keptBulletin,
  toSeismicEvent,
  WHOLE_COLUMNS,
} from "../events/event-rows.ts";
import { KEPT_BULLETIN_COLUMNS, readKeptBulletin } from "../events/kept-bulletin.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

/**
 * Finds events of the latest version that may be the given ones: with the same `source_id` or public
 * id, or with the same bare id inside a longer `source_id`. Handles thousands at once in at most
 * three queries, each with its own index. Rows that an open revision has superseded are left out.
 */

type Base = Pick<ResolvedVersion, "key" | "version">;

type Known = EventIds & { readonly id: string };

/** An event of the catalogue, with what its row knows of its bulletin. */
export type KnownWhole = Known & {
  readonly event: SeismicEvent;
  readonly bulletin: KeptBulletin | null;
};

/** Whole events, through the pool. */
export function readKnownEvents(
  pool: CommonQueryMethods,
  base: Base,
  events: readonly EventIds[],
): Promise<KnownWhole[]> {
  return collect(events, async function* (condition) {
    const rows = await pool.any(sql.unsafe`
      select ${WHOLE_COLUMNS} from ${eventsWhere(base, condition)}`);
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
const COLUMN_LIST = sql.join(
  COLUMNS.map((name) => sql.identifier([name])),
  sql.fragment`, `,
);
const recordOf = createRecordReader(COLUMNS);

/**
 * Whole events by COPY, which is faster when most of them are there.
 * @param client a connection of the caller
 */
export function copyKnownEvents(
  client: ClientBase,
  base: Base,
  events: readonly EventIds[],
): Promise<KnownWhole[]> {
  return collect(events, (condition) => copyWhole(client, base, condition));
}

/** One event by its id; null where it is not there. @param client a connection of the caller */
export async function copyEvent(
  client: ClientBase,
  base: Base,
  id: string,
): Promise<KnownWhole | null> {
  let found: KnownWhole | null = null;
  // Read to its end: the connection stays usable.
  for await (const event of copyWhole(client, base, sql.fragment`event_id = ${id}::uuid`)) {
    found = event;
  }
  return found;
}

/**
 * Events by their ids with their bulletins, one after the other.
 * @param client a connection of the caller, which is in use until the last is read
 * @throws CorruptBulletin
 */
export async function* copyWithBulletins(
  client: ClientBase,
  base: Base,
  ids: readonly string[],
): AsyncGenerator<{ readonly known: KnownWhole; readonly bulletin: Bulletin | null }> {
  // Rows that the caller's own revision has superseded meanwhile are those of the base.
  const query = sql.fragment`
    select ${COLUMN_LIST}, ${bulletinColumn()} from read_model.seismic_events
    where ${rowsOf(base)} and event_id = any(${sql.array([...ids], "uuid")})`;
  for await (const rows of copyRows(client, query)) {
    for (const row of rows) {
      const event = { id: row[EVENT_ID] ?? "", ...recordOf(row) };
      const bulletin = readCopiedBulletin(row[COLUMNS.length] ?? null);
      yield { known: known(event, readKeptBulletin(row, BULLETIN)), bulletin };
    }
  }
}

/** The events with the given ids that are there. @param client a connection of the caller */
export function copyWholeById(
  client: ClientBase,
  base: Base,
  ids: readonly string[],
): AsyncGenerator<KnownWhole> {
  return copyWhole(client, base, sql.fragment`event_id = any(${sql.array([...ids], "uuid")})`);
}

/** The same, whether a revision that is open has superseded them or not. */
export function copyWholeAt(
  client: ClientBase,
  base: Base,
  ids: readonly string[],
): AsyncGenerator<KnownWhole> {
  return copyFrom(
    client,
    sql.fragment`read_model.seismic_events
      where ${rowsOf(base)} and event_id = any(${sql.array([...ids], "uuid")})`,
  );
}

function copyWhole(
  client: ClientBase,
  base: Base,
  condition: FragmentSqlToken,
): AsyncGenerator<KnownWhole> {
  return copyFrom(client, eventsWhere(base, condition));
}

/** @param events the table and the condition of a query */
async function* copyFrom(client: ClientBase, events: FragmentSqlToken): AsyncGenerator<KnownWhole> {
  const query = sql.fragment`select ${COLUMN_LIST} from ${events}`;
  for await (const rows of copyRows(client, query)) {
    for (const row of rows) {
      const event = { id: row[EVENT_ID] ?? "", ...recordOf(row) };
      yield known(event, readKeptBulletin(row, BULLETIN));
    }
  }
}

/**
 * Ids only.
 * @param client a connection of the caller
 */
export function copyKnownIds(
  client: ClientBase,
  base: Base,
  events: readonly EventIds[],
): Promise<Known[]> {
  return collect(events, async function* (condition) {
    const query = sql.fragment`
      select event_id, source_id, extra -> 'public_id' from ${eventsWhere(base, condition)}`;
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

function eventsWhere(base: Base, condition: FragmentSqlToken): FragmentSqlToken {
  // The indexes cover rows without an end.
  return sql.fragment`read_model.seismic_events
    where ${rowsOf(base)} and revision_to is null and ${condition}`;
}

async function collect<K extends Known>(
  events: readonly EventIds[],
  read: (condition: FragmentSqlToken) => AsyncIterable<K>,
): Promise<K[]> {
  const byId = new Map<string, K>();
  const add = async (ids: Iterable<string>, condition: typeof hasSourceId): Promise<void> => {
    const list = [...ids];
    if (list.length === 0) return;
    for await (const event of read(condition(list))) byId.set(event.id, event);
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

/** The bare id in a `source_id`, as defined in contracts/seismic-event/public-id.ts. */
export const BARE_ID = sql.fragment`coalesce(
  substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
  substring(
    regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))`;

/** Events whose `source_id` contains one of the bare ids without being it. */
export function bearsBareId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id ~ '[/?&]' and ${BARE_ID} = any(${sql.array([...ids], "text")})`;
}
