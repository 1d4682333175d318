import { type FragmentSqlToken, sql } from "slonik";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { filterConditions } from "./event-filters.ts";
import type { EventReads } from "./event-reads.ts";
import { eventsShown } from "./event-source.ts";
import { AS_EVENTS, type PageForm, type WrittenEvents } from "./event-writer.ts";
import { requirePresent, visibleAt } from "./resolve-version.ts";
import { isOfAll, priceOf } from "./search-price.ts";
import { beyond, type EventSelection, orderBy, type PageStart, type Side } from "./selection.ts";

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
  { prepared, search }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
  { reversed = isBackwards(start), form = AS_EVENTS }: PageOptions = {},
): Promise<WrittenEvents> {
  const writer = form.createWriter(limit, reversed);
  const query = pageQuery(selection, start, limit, form);
  const cost = { price: priceOfPage(selection, start, limit), events: limit };
  const page = await search(cost, async (pool) => {
    await eachCopiedRow(await pool.connect(), query, writer.add);
    return writer.finish();
  });
  if (page.count === 0) await requirePresent(prepared, selection.version);
  return page;
}

/** Without filters no more rows are read than those before the page, from its start on, and its own. */
function priceOfPage(
  { version, filters }: EventSelection,
  start: PageStart,
  limit: number,
): number {
  const own = ("offset" in start ? start.offset : 0) + limit;
  return priceOf({ filters, rows: isOfAll(filters) ? own : version.eventCount });
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
    select ${columns} from ${eventsShown(version)}
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
