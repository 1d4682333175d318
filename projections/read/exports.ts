import type { Pool, PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { placeOfCount } from "#contracts/bulletin/counts.ts";
import { Refusal } from "#contracts/errors.ts";
import type { ColumnName } from "#contracts/http/events.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type CopyForm, copyBytes } from "#infra/postgres/copy/copy-out.ts";
import { type Connection, type Lookups, statementsOn } from "#infra/postgres/statements.ts";
import { type EventSelection, filterConditions, orderBy, selectedEvents } from "./conditions.ts";
import {
  EVENT_COLUMNS,
  eventsShown,
  type ResolvedVersion,
  requirePresent,
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

function columnQuery({ version, filters, columns }: ColumnSelection, form: CopyForm) {
  const read = columns.map(columnOf);
  if (form === "text") read.push(sql.fragment`time_digits`);
  return sql.fragment`
    select ${sql.join(read, sql.fragment`, `)} from ${selectedEvents({ version, filters })}
    order by ${orderBy("time", false)}`;
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
