import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { FIELD } from "#infra/formats/export-row.ts";
import { ANSWERED_FIELDS, createMembersWriter } from "#infra/formats/json/json-text.ts";
import { copyOut } from "#infra/postgres/copy-out.ts";
import { literalSql } from "#infra/postgres/literal-sql.ts";
import type { Lookups } from "#infra/postgres/prepared-reads.ts";
import type { TextRow } from "#infra/postgres/text-copy.ts";
import type { EventKey, EventOrder } from "./event-cursor.ts";
import { EVERY_EVENT } from "./event-filters.ts";
import type { EventReads } from "./event-reads.ts";
import { LISTED_COLUMNS, toExportRow } from "./event-rows.ts";
import {
  committedAt,
  type ResolvedVersion,
  requirePresent,
  resolveVersion,
  type VersionName,
  visibleAt,
} from "./resolve-version.ts";

/** Which events, of which version, in which order. */
export type EventSelection = {
  /** One that is not resolved is looked up with the page: a round trip less. */
  readonly version: ResolvedVersion | VersionName;
  readonly order: EventOrder;
  /** What rows must satisfy besides being of the version. */
  readonly where: FragmentSqlToken;
};

export type PageStart =
  | { readonly offset: number }
  | { readonly key: EventKey; readonly side: "after" | "before" };

/** A page in the order asked for, with the keys of its first and last event. */
export type EventPage = {
  /** JSON of each, as the API answers it in lists. */
  readonly events: string[];
  readonly first: EventKey | null;
  readonly last: EventKey | null;
  /** Whether more events lie beyond it, on the side it was read towards. */
  readonly more: boolean;
};

/**
 * Reads one page. One row more than asked for tells whether there are more.
 * An empty page is looked at twice: the catalogue may be gone.
 * @throws ApiError NOT_FOUND when there is no such catalogue or version any more
 */
export async function readPage(
  { prepared, pool }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const query = pageQuery(selection, start, limit);
  const isShort = isRange(selection, start) && limit <= SHORT;
  const rows = isShort
    ? await prepared.mapRows(query, toWrittenEvent)
    : await copiedEvents(pool, query);
  if (rows.length === 0) await requireVersion(prepared, selection.version);
  const more = rows.length > limit;
  if (more) rows.pop();
  if (isBackwards(start)) rows.reverse();
  return {
    events: rows.map(({ json }) => json),
    first: rows[0]?.key ?? null,
    last: rows.at(-1)?.key ?? null,
    more,
  };
}

/** Events of a page that others may wait for on the same connection. */
const SHORT = 200;

/** Whether a page is one range of an index: none of the rows that are read is left out. */
function isRange({ where }: EventSelection, start: PageStart): boolean {
  return where === EVERY_EVENT && ("key" in start || start.offset === 0);
}

async function copiedEvents(pool: Pool, query: FragmentSqlToken): Promise<WrittenEvent[]> {
  const events: WrittenEvent[] = [];
  for await (const batch of copyOut(await pool.connect(), literalSql(query))) {
    events.push(...batch.map(toWrittenEvent));
  }
  return events;
}

type WrittenEvent = { readonly key: EventKey; readonly json: string };

const members = createMembersWriter(ANSWERED_FIELDS);

function toWrittenEvent(row: TextRow): WrittenEvent {
  const key = keyOf(row);
  return { key, json: `{${members(toExportRow(row))}}` };
}

async function requireVersion(
  lookups: Lookups,
  version: ResolvedVersion | VersionName,
): Promise<void> {
  if (!("key" in version)) await resolveVersion(lookups, version.id, String(version.version));
  else if (version.eventCount > 0) await requirePresent(lookups, version);
}

/** The rows of a page and one more, from its start on; backwards in the opposite order. */
export function pageQuery(
  { version, order, where }: EventSelection,
  start: PageStart,
  limit: number,
): FragmentSqlToken {
  const place = "key" in start ? sql.fragment`and ${beyond(order, start)}` : sql.fragment``;
  const skip = "offset" in start ? sql.fragment`offset ${start.offset}` : sql.fragment``;
  return sql.fragment`
    select ${LISTED_COLUMNS} from read_model.seismic_events
    where ${"key" in version ? visibleAt(version) : committedAt(version)} and ${where} ${place}
    order by ${orderBy(order, isBackwards(start))}
    limit ${limit + 1} ${skip}`;
}

function isBackwards(start: PageStart): boolean {
  return "side" in start && start.side === "before";
}

function keyOf(row: TextRow): EventKey {
  const magnitude = row[FIELD.magnitude] ?? null;
  return {
    magnitude: magnitude === null ? null : Number(magnitude),
    time: row[FIELD.time] as string,
    id: row[FIELD.id] as string,
  };
}

const MAGNITUDE = sql.fragment`coalesce(magnitude, '-infinity'::double precision)`;

function isDescending(order: EventOrder, backwards: boolean): boolean {
  return order.endsWith("-asc") === backwards;
}

/** The order of a page, or the opposite one. */
export function orderBy(order: EventOrder, backwards: boolean): FragmentSqlToken {
  const direction = isDescending(order, backwards) ? sql.fragment`desc` : sql.fragment`asc`;
  const byTime = sql.fragment`time ${direction}, event_id ${direction}`;
  return order.startsWith("magnitude")
    ? sql.fragment`${MAGNITUDE} ${direction}, ${byTime}`
    : byTime;
}

/** Row comparison with the key: the form that PostgreSQL turns into one index range. */
function beyond(
  order: EventOrder,
  { key, side }: Extract<PageStart, { key: EventKey }>,
): FragmentSqlToken {
  const than = isDescending(order, side === "before") ? sql.fragment`<` : sql.fragment`>`;
  const { magnitude, time, id } = key;
  return order.startsWith("magnitude")
    ? sql.fragment`(${MAGNITUDE}, time, event_id) ${than}
        (coalesce(${magnitude}::double precision, '-infinity'), ${time}::timestamptz, ${id}::uuid)`
    : sql.fragment`(time, event_id) ${than} (${time}::timestamptz, ${id}::uuid)`;
}
