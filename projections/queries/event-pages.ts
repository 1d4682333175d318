import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { EventKey, EventOrder } from "./event-cursor.ts";
import { EVENT_COLUMNS, type EventRow, toSeismicEvent } from "./event-rows.ts";
import { type ResolvedVersion, requirePresent } from "./resolve-version.ts";

/** Which events, of which version, in which order. */
export type EventSelection = {
  readonly version: ResolvedVersion;
  readonly order: EventOrder;
  /** What rows must satisfy besides being of the version. */
  readonly where: FragmentSqlToken;
};

export type PageStart =
  | { readonly offset: number }
  | { readonly key: EventKey; readonly side: "after" | "before" };

/** A page in the order asked for, with the keys of its first and last event. */
export type EventPage = {
  readonly events: SeismicEvent[];
  readonly first: EventKey | null;
  readonly last: EventKey | null;
  /** Whether more events lie beyond it, on the side it was read towards. */
  readonly more: boolean;
};

/** Rows that revision `version` sees. */
export function visibleAt({ key, version }: ResolvedVersion): FragmentSqlToken {
  return sql.fragment`catalogue_key = ${key} and revision_from <= ${version}
    and (revision_to is null or revision_to > ${version})`;
}

/**
 * Reads one page. One row more than asked for tells whether there are more.
 * An empty page of a version that has events is looked at twice: the catalogue may be gone.
 * @throws ApiError NOT_FOUND when the catalogue was deleted meanwhile
 */
export async function readPage(
  pool: CommonQueryMethods,
  { version, order, where }: EventSelection,
  start: PageStart,
  limit: number,
): Promise<EventPage> {
  const backwards = "side" in start && start.side === "before";
  const place = "key" in start ? sql.fragment`and ${beyond(order, start)}` : sql.fragment``;
  const skip = "offset" in start ? sql.fragment`offset ${start.offset}` : sql.fragment``;
  const rows = (await pool.any(sql.unsafe`
    select ${EVENT_COLUMNS} from read_model.seismic_events
    where ${visibleAt(version)} and ${where} ${place}
    order by ${orderBy(order, backwards)}
    limit ${limit + 1} ${skip}`)) as readonly EventRow[];
  if (rows.length === 0 && version.eventCount > 0) await requirePresent(pool, version);
  const page = rows.slice(0, limit);
  if (backwards) page.reverse();
  return {
    events: page.map(toSeismicEvent),
    first: keyOf(page[0]),
    last: keyOf(page.at(-1)),
    more: rows.length > limit,
  };
}

function keyOf(row: EventRow | undefined): EventKey | null {
  return row ? { magnitude: row.magnitude, time: row.time, id: row.event_id } : null;
}

const MAGNITUDE = sql.fragment`coalesce(magnitude, '-infinity'::double precision)`;

function isDescending(order: EventOrder, backwards: boolean): boolean {
  return order.endsWith("-asc") === backwards;
}

function orderBy(order: EventOrder, backwards: boolean): FragmentSqlToken {
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
