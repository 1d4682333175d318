/**
 * A filtered read: pages of the events of a version, by cursor or by number, in the turn that
 * their price has.
 */

import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { EventOrder } from "#contracts/query/parameters.ts";
import type { Log, OpenSocket } from "#infra/postgres/connection.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import {
  createPgPool,
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/pool.ts";
import { type AskedPool, ENDS_WITH_CLIENT, type Lookups } from "#infra/postgres/statements.ts";
import {
  beyond,
  type EventSelection,
  filterConditions,
  isOfAll,
  orderBy,
  type PageStart,
  priceOf,
  type Side,
} from "./conditions.ts";
import { invalidCursor } from "./lists.ts";
import {
  AS_EVENTS,
  type EventCursor,
  type EventKey,
  encodeCursor,
  filtersOfCursor,
  NO_EVENTS,
  type PageForm,
  type WrittenEvents,
} from "./pages.ts";
import {
  eventsShown,
  isPresent,
  isPublicVersion,
  type ResolvedVersion,
  requirePresent,
  requireReadable,
  resolveVersion,
  type VersionRequest,
  visibleAt,
} from "./versions.ts";

export type WalkRequest = VersionRequest & {
  readonly walk: EventCursor["walk"];
  /** Newest first by default. */
  readonly order: EventOrder | undefined;
  readonly filters: EventFilters;
  readonly limit: number;
  /** Where the walk continues; null at its start. The request's other parameters must agree with it. */
  readonly cursor: EventCursor | null;
};

/**
 * One page of a walk through a catalogue's events. All pages are of the version at which the walk
 * began, whatever is written meanwhile.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, INVALID_CURSOR, VALIDATION_ERROR for asOf
 */
export async function walkEvents(
  reads: EventReads,
  request: WalkRequest,
  form: PageForm = AS_EVENTS,
) {
  const { walk, catalogueId, limit, cursor } = request;
  if (cursor !== null) requireAgreement(request, cursor);
  const latest = await resolveVersion(reads.prepared, request);
  const version = cursor === null ? latest : versionOf(cursor, latest, request);
  const { order = "time" } = cursor ?? request;
  const filters = cursor === null ? request.filters : filtersOfCursor(cursor, request.filters);
  const selection = { version, order, filters };
  const events = await readPage(reads, selection, cursor ?? { offset: 0 }, limit, { form });
  const bound = { walk, catalogueId, order, filters, version: version.version, limit };
  const to = (key: EventKey | null, side: EventCursor["side"], there: boolean): string | null =>
    key !== null && there ? encodeCursor({ ...bound, key, side }) : null;
  // After a step backwards there is always a next page: the one where the step began.
  const backwards = cursor?.side === "before";
  return {
    events,
    version: version.version,
    /** What its reader was shown of a merge's sources. */
    shown: version,
    /** Whether guests may read the version. */
    isPublic: isPublicVersion(version),
    nextCursor: to(events.last, "after", backwards || events.more),
    prevCursor: to(events.first, "before", backwards ? events.more : cursor !== null),
  };
}

/** @throws Refusal INVALID_CURSOR when a repeated parameter differs from the cursor */
function requireAgreement({ walk, catalogueId, order }: WalkRequest, cursor: EventCursor): void {
  const agrees =
    cursor.walk === walk &&
    cursor.catalogueId === catalogueId &&
    (order === undefined || order === cursor.order);
  if (!agrees) throw invalidCursor();
}

/**
 * The version of a cursor; its number of events is near that of the latest.
 * @param latest the latest version, or that of the request's `asOf`, which must be the cursor's
 * @throws Refusal NOT_FOUND; INVALID_CURSOR, also for a future version
 */
function versionOf(
  { version }: EventCursor,
  latest: ResolvedVersion,
  { asOf, reader }: VersionRequest,
): ResolvedVersion {
  if (asOf !== undefined && version !== latest.version) {
    throw invalidCursor("The cursor is of another version");
  }
  if (version > latest.version) throw invalidCursor();
  const named = { ...latest, version };
  requireReadable(named, reader.kind === "guest");
  return named;
}

type Slice = { readonly offset: number; readonly limit: number };

/**
 * The events from `offset` on, newest first: for pages by number and by offset.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function sliceOfEvents(
  reads: EventReads,
  { offset, limit, ...request }: VersionRequest & Slice,
  form: PageForm = AS_EVENTS,
) {
  const version = await resolveVersion(reads.prepared, request);
  const events = await readSlice(reads, version, { offset, limit }, form);
  const { count, last } = events;
  const total = version.eventCount;
  const more = last !== null && offset + count < total;
  return {
    events,
    version: version.version,
    /** Whether guests may read the version. */
    isPublic: isPublicVersion(version),
    /** All events of the version. */
    total,
    /** A cursor after the slice; null at the end. */
    nextCursor: more
      ? encodeCursor({
          walk: "events",
          catalogueId: request.catalogueId,
          version: version.version,
          order: "time",
          filters: {},
          key: last,
          side: "after",
          limit,
        })
      : null,
  };
}

/** The rows of the slice are read in the order in which the fewest are skipped. */
async function readSlice(
  reads: EventReads,
  version: ResolvedVersion,
  { offset, limit }: Slice,
  form: PageForm,
): Promise<WrittenEvents> {
  const length = Math.min(limit, version.eventCount - offset);
  if (length <= 0) return NO_EVENTS;
  const place = { newer: offset, older: version.eventCount - offset - length };
  const { order, start } = await nearestStart(reads.prepared, version, place);
  const reversed = order === "time-asc";
  return readPage(reads, { version, order, filters: {} }, start, length, { reversed, form });
}

/** The number of events before a page from either end of its version. */
type Place = { readonly newer: number; readonly older: number };

/** So near to an end a page is read from there, without a further lookup. */
const NEAR = 1_000;

/** Before every id: with a time, the place before all events of the time in ascending order. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const Edge = z.object({
  /** Null at an end of the version. */
  time: z.string().nullable(),
  isNewest: z.boolean(),
  skipped: z.int(),
});

/**
 * The end of the version, or of a block of its events (`event_blocks`, which the projection counts), from which the fewest
 * events lie before a page: they are read and discarded.
 */
export async function nearestStart(
  lookups: Lookups,
  version: ResolvedVersion,
  { newer, older }: Place,
  near = NEAR,
): Promise<{ readonly order: EventOrder; readonly start: PageStart }> {
  const edge =
    Math.min(newer, older) < near ? null : await nearestEdge(lookups, version, { newer, older });
  if (edge === null) {
    return newer <= older
      ? { order: "time", start: { offset: newer } }
      : { order: "time-asc", start: { offset: older } };
  }
  const { time, isNewest, skipped: offset } = edge;
  const order = isNewest ? "time" : "time-asc";
  if (time === null) return { order, start: { offset } };
  return { order, start: { after: { magnitude: null, time, id: FIRST_ID }, offset } };
}

/** Null when the catalogue is gone. */
function nearestEdge(
  lookups: Lookups,
  { key, version, eventCount }: ResolvedVersion,
  { newer, older }: Place,
): Promise<z.infer<typeof Edge> | null> {
  const visible = sql.fragment`catalogue_key = ${key} and revision_from <= ${version}`;
  return lookups.maybeOne(sql.type(Edge)`
    with blocks as (
      select since, events, lead(since) over in_order as until, sum(events) over in_order as upto
      from (
        select since, events from read_model.event_blocks where ${visible} and revision_to is null
        union all
        select since, events from read_model.event_blocks
        where ${visible} and revision_to > ${version}
      ) visible
      window in_order as (order by since)
    )
    select case when isfinite(time) then time::text end as time, "isNewest", skipped::integer
    from (
      select since as time, false as "isNewest", ${older} - (upto - events) as skipped
      from blocks where upto > ${older} and upto - events <= ${older}
      union all
      select until, true, ${newer} - (${eventCount} - upto)
      from blocks where ${eventCount} - upto <= ${newer} and ${eventCount} - upto + events > ${newer}
    ) edges
    where ${isPresent({ key })}
    order by skipped limit 1`);
}

/**
 * Reads one page. One further row tells whether there are more. An empty page is checked again,
 * since the catalogue may have been deleted after its version was resolved.
 * @param options whether the rows are read in the opposite order of the page, and its form
 * @throws Refusal NOT_FOUND when the catalogue does not exist any more
 */
export async function readPage(
  { prepared, search }: EventReads,
  selection: EventSelection,
  start: PageStart,
  limit: number,
  options: { readonly reversed?: boolean; readonly form?: PageForm } = {},
): Promise<WrittenEvents> {
  const { reversed = isBackwards(start), form = AS_EVENTS } = options;
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
function priceOfPage({ version, filters }: EventSelection, start: PageStart, limit: number) {
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

/** `priceOf` what is looked through, and the events of the answer, at most. */
export type SearchCost = { readonly price: number; readonly events: number };

/** Reads in the turn that a search of its price has, on connections whose statements end with who asks. */
export type Search = <T>(cost: SearchCost, read: (pool: AskedPool) => Promise<T>) => Promise<T>;

/** Connections for reading events. */
export type EventReads = {
  /** For resolving versions. */
  readonly prepared: PreparedStatements;
  /** For the events themselves, by COPY: planned for the actual filter values. */
  readonly pool: Pool;
  /** The same for what takes long: one for each that has its turn. */
  readonly longPool: Pool;
  /** Without turns, until somebody asks (`readsFor` of the gateway). */
  readonly search: Search;
};

type OpenEventReads = EventReads & { readonly close: () => Promise<void> };

/** Searches that run at once, and analyses: each may take a processor. */
export const LONG_READS = { searches: 3, analyses: 1 };

/**
 * Longest wait for a turn. 250 concurrent requests for 10,000 events take 18 s on two cores, and a
 * late answer is better than a refusal.
 */
const WAIT_MS = 60_000;

/** Connects at the first read. */
export function openEventReads(
  databaseUrl: string,
  log: Log,
  openSocket?: OpenSocket,
): OpenEventReads {
  const lookups = { log, openSocket, applicationName: "lookups" };
  const prepared = createPreparedStatements(databaseUrl, lookups);
  const pool = createPgPool(databaseUrl, {
    log,
    openSocket,
    applicationName: "pages",
    maxConnections: 10,
    connectionTimeoutMs: WAIT_MS,
    settings: ENDS_WITH_CLIENT,
  });
  const longPool = createPgPool(databaseUrl, {
    log,
    openSocket,
    applicationName: "searches",
    maxConnections: LONG_READS.searches + LONG_READS.analyses,
    settings: ENDS_WITH_CLIENT,
  });
  const close = async (): Promise<void> => {
    await prepared.close();
    await pool.end();
    await longPool.end();
  };
  return { prepared, pool, longPool, search: (_cost, read) => read(pool), close };
}
