import { type FragmentSqlToken, sql } from "slonik";
import { eachCopiedRow } from "#infra/postgres/copied-rows.ts";
import { literalSql } from "#infra/postgres/literal-sql.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import type { EventKey, EventOrder } from "./event-cursor.ts";
import { admitAll, boundTimeAlone, type FilterValues, filterConditions } from "./event-filters.ts";
import { COPIED_LINE, RAW_ROW } from "./event-forms.ts";
import type { EventReads } from "./event-reads.ts";
import { LISTED_COLUMNS } from "./event-rows.ts";
import { createEventWriter, type WrittenEvents } from "./event-writer.ts";
import {
  committedAt,
  type ResolvedVersion,
  requirePresent,
  resolveVersion,
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

/**
 * Reads one page. One row more than asked for tells whether there are more.
 * An empty page is looked at twice: the catalogue may be gone. One of a version as last seen is not:
 * readAtVersion does.
 * @param reversed whether the page is in the opposite order of what is read
 * @throws ApiError NOT_FOUND when there is no such catalogue or version any more
 */
export async function readPage(
  { prepared, pool }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
  reversed: boolean = isBackwards(start),
): Promise<WrittenEvents> {
  const query = (length: number) => pageQuery(selection, start, length);
  const readPrepared = async (length: number): Promise<WrittenEvents> => {
    const writer = createEventWriter(RAW_ROW, length, reversed);
    await prepared.eachRow(query(length), writer.add);
    return writer.finish();
  };
  const readCopied = async (): Promise<WrittenEvents> => {
    const writer = createEventWriter(COPIED_LINE, limit, reversed);
    await eachCopiedRow(await pool.connect(), literalSql(query(limit)), writer.add);
    return writer.finish();
  };
  const begun = isShortRange(selection, start, limit)
    ? await readPrepared(Math.min(limit, SHORT))
    : null;
  const isWhole = begun && (begun.count === limit || !begun.more);
  const page = isWhole ? begun : await readCopied();
  if (page.count === 0) await requireVersion(prepared, selection.version);
  return page;
}

/** Events of a page that others may wait for on the same connection. */
const SHORT = 200;

/**
 * Whether a page is one range of an index, none of whose rows is left out, and is short as far as that
 * is known: how many events lie in a span of time is seen when they are read.
 */
function isShortRange(
  { order, filters }: EventSelection,
  start: PageStart,
  limit: number,
): boolean {
  if ("offset" in start && start.offset > 0) return false;
  if (admitAll(filters)) return limit <= SHORT;
  return boundTimeAlone(filters) && order.startsWith("time");
}

async function requireVersion(lookups: Lookups, version: EventSelection["version"]): Promise<void> {
  if ("isSeen" in version) return;
  if (!("key" in version)) await resolveVersion(lookups, version.id, String(version.version));
  else if (version.eventCount > 0) await requirePresent(lookups, version);
}

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

function rowsSeenBy(version: EventSelection["version"]): FragmentSqlToken {
  if ("isSeen" in version) return visibleWhileLatest(version);
  return "key" in version ? visibleAt(version) : committedAt(version);
}

function isBackwards(start: PageStart): boolean {
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
