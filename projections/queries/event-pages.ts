import { type FragmentSqlToken, sql } from "slonik";
import type { EventKey, EventOrder } from "./event-cursor.ts";
import { type FilterValues, filterConditions } from "./event-filters.ts";
import { LISTED_COLUMNS } from "./event-rows.ts";
import {
  committedAt,
  type ResolvedVersion,
  type SeenVersion,
  type VersionName,
  visibleAt,
  visibleWhileLatest,
} from "./resolve-version.ts";

/** Which events, of which version, in which order. */
export type EventSelection = {
  /** One that is not resolved is looked up with the page: a round trip less. */
  readonly version: ResolvedVersion | SeenVersion | VersionName;
  readonly order: EventOrder;
  readonly filters: FilterValues;
};

export type PageStart =
  | { readonly offset: number }
  | { readonly key: EventKey; readonly side: "after" | "before" };

/** The rows of a page and one more, from its start on; backwards in the opposite order. */
export function pageQuery(
  { version, order, filters }: EventSelection,
  start: PageStart,
  limit: number,
): FragmentSqlToken {
  const place = "key" in start ? sql.fragment`and ${beyond(order, start)}` : sql.fragment``;
  const skip = "offset" in start ? sql.fragment`offset ${start.offset}` : sql.fragment``;
  return sql.fragment`
    select ${LISTED_COLUMNS} from read_model.seismic_events
    where ${rowsSeenBy(version)} and ${filterConditions(filters)} ${place}
    order by ${orderBy(order, isBackwards(start))}
    limit ${limit + 1} ${skip}`;
}

/** The condition that a version sees a row. */
export function rowsSeenBy(version: EventSelection["version"]): FragmentSqlToken {
  if ("isSeen" in version) return visibleWhileLatest(version);
  return "key" in version ? visibleAt(version) : committedAt(version);
}

export function isBackwards(start: PageStart): boolean {
  return "side" in start && start.side === "before";
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
