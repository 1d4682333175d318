import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import type { EventKey, EventOrder } from "./event-cursor.ts";
import { LISTED_COLUMNS, type ListedEvent, type ListedRow, toListedEvent } from "./event-rows.ts";
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
  readonly events: ListedEvent[];
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
  pool: CommonQueryMethods,
  selection: EventSelection,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const query = pageQuery(selection, start, limit);
  const rows = (await pool.any(sql.unsafe`${query}`)) as readonly ListedRow[];
  if (rows.length === 0) await requireVersion(pool, selection.version);
  const page = rows.slice(0, limit);
  if (isBackwards(start)) page.reverse();
  return {
    events: page.map(toListedEvent),
    first: keyOf(page[0]),
    last: keyOf(page.at(-1)),
    more: rows.length > limit,
  };
}

async function requireVersion(
  pool: CommonQueryMethods,
  version: ResolvedVersion | VersionName,
): Promise<void> {
  if (!("key" in version)) await resolveVersion(pool, version.id, String(version.version));
  else if (version.eventCount > 0) await requirePresent(pool, version);
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

function keyOf(row: ListedRow | undefined): EventKey | null {
  return row ? { magnitude: row.magnitude, time: row.time, id: row.event_id } : null;
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
