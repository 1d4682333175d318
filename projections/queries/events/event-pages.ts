import { type FragmentSqlToken, sql } from "slonik";
import type { EventFilters, EventOrder } from "#contracts/query/filter-parameters.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import type { EventKey } from "./event-cursor.ts";
import { filterConditions } from "./event-filters.ts";
import type { EventReads } from "./event-reads.ts";
import { AS_EVENTS, type PageForm, type WrittenEvents } from "./event-writer.ts";
import { requirePresent, type VersionRows, visibleAt } from "./resolve-version.ts";

/** Which events of which version, in which order. */
export type EventSelection = {
  readonly version: VersionRows;
  readonly order: EventOrder;
  readonly filters: EventFilters;
};

export type PageStart =
  | { readonly offset: number }
  | Side
  /** A number of events after a key. */
  | { readonly after: EventKey; readonly offset: number };

type Side = { readonly key: EventKey; readonly side: "after" | "before" };

type PageOptions = {
  /** Whether the rows are read in the opposite order of the page. */
  readonly reversed?: boolean;
  readonly form?: PageForm;
};

/**
 * Reads one page. One further row tells whether there are more. An empty page is checked again,
 * since the catalogue may have been deleted after its version was resolved.
 * @throws Refusal NOT_FOUND when the catalogue does not exist any more
 */
export async function readPage(
  { prepared, pool }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
  { reversed = isBackwards(start), form = AS_EVENTS }: PageOptions = {},
): Promise<WrittenEvents> {
  const writer = form.createWriter(limit, reversed);
  const query = pageQuery(selection, start, limit, form);
  await eachCopiedRow(await pool.connect(), query, writer.add);
  const page = writer.finish();
  if (page.count === 0) await requirePresent(prepared, selection.version);
  return page;
}

/** The rows of a page and one more, from its start on; backwards in the opposite order. */
export function pageQuery(
  { version, order, filters }: EventSelection,
  start: PageStart,
  limit: number,
  { columns }: Pick<PageForm, "columns"> = AS_EVENTS,
): FragmentSqlToken {
  const from = sideOf(start);
  const place = from ? sql.fragment`and ${beyond(order, from)}` : sql.fragment``;
  const skip = "offset" in start ? sql.fragment`offset ${start.offset}` : sql.fragment``;
  return sql.fragment`
    select ${columns} from read_model.seismic_events
    where ${visibleAt(version)} and ${filterConditions(filters)} ${place}
    order by ${orderBy(order, isBackwards(start))}
    limit ${limit + 1} ${skip}`;
}

function sideOf(start: PageStart): Side | null {
  if ("after" in start) return { key: start.after, side: "after" };
  return "key" in start ? start : null;
}

function isBackwards(start: PageStart): boolean {
  return "side" in start && start.side === "before";
}

const MAGNITUDE = sql.fragment`coalesce(magnitude, '-infinity'::double precision)`;

function isDescending(order: EventOrder, backwards: boolean): boolean {
  return order.endsWith("-asc") === backwards;
}

/** The order of a page, or its opposite. */
export function orderBy(order: EventOrder, backwards: boolean): FragmentSqlToken {
  const direction = isDescending(order, backwards) ? sql.fragment`desc` : sql.fragment`asc`;
  const byTime = sql.fragment`time ${direction}, event_id ${direction}`;
  return order.startsWith("magnitude")
    ? sql.fragment`${MAGNITUDE} ${direction}, ${byTime}`
    : byTime;
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
