import { type FragmentSqlToken, sql } from "slonik";
import { eachCopiedRow } from "#infra/postgres/copied-rows.ts";
import { literalSql } from "#infra/postgres/literal-sql.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { invalidCursor } from "./event-cursor.ts";
import { admitAll, boundTimeAlone, filterConditions, heightOfBox } from "./event-filters.ts";
import { COPIED_LINE, RAW_ROW } from "./event-forms.ts";
import {
  type EventSelection,
  isBackwards,
  orderBy,
  type PageStart,
  pageQuery,
  rowsSeenBy,
} from "./event-pages.ts";
import type { EventReads } from "./event-reads.ts";
import { LISTED_COLUMNS } from "./event-rows.ts";
import { createEventWriter, type WrittenEvents } from "./event-writer.ts";
import { requirePresent, resolveVersion } from "./resolve-version.ts";

/**
 * Reads one page. One row more than asked for tells whether there are more.
 * An empty page is looked at twice: the catalogue may be gone. One of a version as last seen is not:
 * readAtVersion does.
 * @param reversed whether the page is in the opposite order of what is read
 * @throws ApiError NOT_FOUND when there is no such catalogue any more, INVALID_CURSOR for a version to come
 */
export async function readPage(
  { prepared, pool }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
  reversed: boolean = isBackwards(start),
): Promise<WrittenEvents> {
  const readPrepared = async (query: FragmentSqlToken): Promise<WrittenEvents> => {
    const writer = createEventWriter(RAW_ROW, Math.min(limit, SHORT), reversed);
    await prepared.eachRow(query, writer.add);
    return writer.finish();
  };
  const readCopied = async (): Promise<WrittenEvents> => {
    const writer = createEventWriter(COPIED_LINE, limit, reversed);
    const query = literalSql(pageQuery(selection, start, limit));
    await eachCopiedRow(await pool.connect(), query, writer.add);
    return writer.finish();
  };
  const short = shortQuery(selection, start, limit);
  const begun = short && (await readPrepared(short));
  const isWhole = begun && (begun.count === limit || !begun.more);
  const page = isWhole ? begun : await readCopied();
  if (page.count === 0) await requireVersion(prepared, selection.version);
  return page;
}

/** Events of a page that others may wait for on the same connection. */
const SHORT = 200;

/**
 * The statement of a page that is short as far as that is known, to be planned once whatever its values;
 * null for any other. How many events there are is seen when they are read: those of `SHORT` and one more.
 */
function shortQuery(
  selection: EventSelection,
  start: PageStart,
  limit: number,
): FragmentSqlToken | null {
  if (isShortRange(selection, start, limit)) {
    return pageQuery(selection, start, Math.min(limit, SHORT));
  }
  return isSmallBox(selection, start, limit) ? boxQuery(selection, SHORT) : null;
}

/** Whether a page is one range of an index, none of whose rows is left out. */
function isShortRange(
  { order, filters }: EventSelection,
  start: PageStart,
  limit: number,
): boolean {
  if ("offset" in start && start.offset > 0) return false;
  if (admitAll(filters)) return limit <= SHORT;
  return boundTimeAlone(filters) && order.startsWith("time");
}

/**
 * Events of the catalogue times degrees of latitude of a box, at most: the band of the index that is looked
 * through for it. A millisecond where events are spread over the Earth, some twenty where all lie in the band.
 */
const EVENT_DEGREES = 100_000;

/**
 * Whether all events of a box are asked for, and few are looked at for it. Of the latest version alone: an
 * older one may have few events among the many rows of later ones.
 */
function isSmallBox(
  { version, filters }: EventSelection,
  start: PageStart,
  limit: number,
): boolean {
  const height = heightOfBox(filters);
  if (height === null || !("isSeen" in version)) return false;
  const isFirst = "offset" in start && start.offset === 0;
  return isFirst && limit > SHORT && height * version.eventCount <= EVENT_DEGREES;
}

async function requireVersion(lookups: Lookups, version: EventSelection["version"]): Promise<void> {
  if ("isSeen" in version) return;
  if (!("key" in version)) {
    const latest = await resolveVersion(lookups, { catalogueId: version.id, isGuest: false });
    if (version.version > latest.version) throw invalidCursor();
  } else if (version.eventCount > 0) {
    await requirePresent(lookups, version);
  }
}

/**
 * The rows of a box in the order of the page, where there are no more than `length`: so many and one more are
 * read as the index over places has them, which no planner that knows no values would choose by itself.
 */
export function boxQuery(
  { version, order, filters }: EventSelection,
  length: number,
): FragmentSqlToken {
  return sql.fragment`
    select ${LISTED_COLUMNS} from (
      select ${LISTED_COLUMNS} from read_model.seismic_events
      where ${rowsSeenBy(version)} and ${filterConditions(filters)}
      order by latitude, longitude
      limit ${length + 1}
    ) as found
    order by ${orderBy(order, false)}`;
}
