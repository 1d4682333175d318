import { type FragmentSqlToken, sql } from "slonik";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { EventKey } from "./event-cursor.ts";
import type { ResolvedVersion, VersionRows } from "./resolve-version.ts";

/** Which events of which version, in which order. */
export type EventSelection = {
  readonly version: VersionRows & Pick<ResolvedVersion, "hidden" | "eventCount">;
  readonly order: EventOrder;
  readonly filters: EventFilters;
};

/** One side of a place in an order. */
export type Side = { readonly key: EventKey; readonly side: "after" | "before" };

/** Where a page begins. */
export type PageStart =
  | { readonly offset: number }
  | Side
  /** A number of events after a key. */
  | { readonly after: EventKey; readonly offset: number };

const MAGNITUDE = orderable(sql.fragment`magnitude`);

function orderable(magnitude: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`coalesce(${magnitude}, '-infinity'::double precision)`;
}

function isDescending(order: EventOrder, backwards: boolean): boolean {
  return order.endsWith("-asc") === backwards;
}

/**
 * The order of a page, or its opposite.
 * @param magnitude by which is ordered, where that is not the shown one
 */
export function orderBy(
  order: EventOrder,
  backwards: boolean,
  magnitude?: FragmentSqlToken,
): FragmentSqlToken {
  const direction = isDescending(order, backwards) ? sql.fragment`desc` : sql.fragment`asc`;
  const byTime = sql.fragment`time ${direction}, event_id ${direction}`;
  if (!order.startsWith("magnitude")) return byTime;
  const value = magnitude === undefined ? MAGNITUDE : orderable(magnitude);
  return sql.fragment`${value} ${direction}, ${byTime}`;
}

/** A row comparison with the key, which PostgreSQL turns into one index range. */
export function beyond(order: EventOrder, { key, side }: Side): FragmentSqlToken {
  const than = isDescending(order, side === "before") ? sql.fragment`<` : sql.fragment`>`;
  const { magnitude, time, id } = key;
  return order.startsWith("magnitude")
    ? sql.fragment`(${MAGNITUDE}, time, event_id) ${than}
        (coalesce(${magnitude}::double precision, '-infinity'), ${time}::timestamptz, ${id}::uuid)`
    : sql.fragment`(time, event_id) ${than} (${time}::timestamptz, ${id}::uuid)`;
}
