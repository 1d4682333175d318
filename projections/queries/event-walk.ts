import { FilteredQuery } from "#contracts/http/catalogue-events.ts";
import {
  decodeCursor,
  type EventCursor,
  type EventKey,
  type EventOrder,
  encodeCursor,
  invalidCursor,
} from "./event-cursor.ts";
import type { PageStart } from "./event-pages.ts";
import type { EventReads } from "./event-reads.ts";
import type { WrittenEvents } from "./event-writer.ts";
import { readAtVersion } from "./read-at-version.ts";
import { readPage } from "./read-page.ts";
import {
  type ResolvedVersion,
  resolveVersion,
  type SeenVersion,
  type VersionName,
} from "./resolve-version.ts";

/** A filtered query's filters alone. */
export type Filters = Omit<FilteredQuery, "orderBy" | "limit" | "cursor" | "asOf">;

/** What a request says of its walk; a cursor knows the rest, and what is repeated must agree with it. */
export type WalkRequest = {
  readonly walk: EventCursor["walk"];
  readonly catalogueId: string;
  readonly cursor: string | undefined;
  readonly asOf: string | undefined;
  readonly order: EventOrder | undefined;
  readonly filters: Filters;
  readonly limit: number | undefined;
  /** Where neither the request nor its cursor has a limit. */
  readonly defaultLimit: number;
};

export type WalkPage = {
  readonly events: WrittenEvents;
  readonly version: number;
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
};

type Walk = Pick<EventCursor, "walk" | "catalogueId" | "order" | "filters" | "limit"> & {
  readonly version: ResolvedVersion | SeenVersion | VersionName;
  readonly start: PageStart;
};

/**
 * One page of a walk through the events of a catalogue. All its pages are of the version at which it
 * began, whatever is written meanwhile.
 * @throws ApiError NOT_FOUND, INVALID_CURSOR, VALIDATION_ERROR for asOf
 */
export async function walkEvents(reads: EventReads, request: WalkRequest): Promise<WalkPage> {
  if (request.cursor === undefined) {
    return readAtVersion(reads, request, (version) => pageOf(reads, beginWalk(request, version)));
  }
  return pageOf(reads, await continueWalk(reads, request, decodeCursor(request.cursor)));
}

async function pageOf(reads: EventReads, walk: Walk): Promise<WalkPage> {
  const filters = filtersOf(walk.filters);
  const page = await readPage(reads, { ...walk, filters }, walk.start, walk.limit);
  const { limit, version } = walk;
  return { events: page, version: version.version, limit, ...cursorsOf(walk, page) };
}

function beginWalk(request: WalkRequest, version: ResolvedVersion | SeenVersion): Walk {
  const { walk, catalogueId, order = "time", limit = request.defaultLimit } = request;
  const filters = asText(request.filters);
  return { walk, catalogueId, order, filters, version, limit, start: { offset: 0 } };
}

async function continueWalk(
  reads: EventReads,
  request: WalkRequest,
  cursor: EventCursor,
): Promise<Walk> {
  const { walk, catalogueId, order, filters, asOf, limit = cursor.limit } = request;
  const repeated = Object.entries(asText(filters));
  const agrees =
    cursor.walk === walk &&
    cursor.catalogueId === catalogueId &&
    (order === undefined || order === cursor.order) &&
    repeated.every(([name, value]) => cursor.filters[name] === value);
  if (!agrees) throw invalidCursor();
  if (asOf !== undefined) {
    const asked = await resolveVersion(reads.prepared, catalogueId, asOf);
    if (asked.version !== cursor.version) throw invalidCursor("The cursor is of another version");
  }
  const version = { id: catalogueId, version: cursor.version };
  return { ...cursor, limit, version, start: { key: cursor.key, side: cursor.side } };
}

/** Filters as a query gives them. */
function asText(filters: Filters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

function filtersOf(text: Record<string, string>): Filters {
  const result = FilteredQuery.safeParse(text);
  if (!result.success) throw invalidCursor();
  return result.data;
}

/** Backwards the page that was come from lies ahead, so there is always a next one. */
function cursorsOf(walk: Walk, page: WrittenEvents): Pick<WalkPage, "nextCursor" | "prevCursor"> {
  const { start } = walk;
  const backwards = "side" in start && start.side === "before";
  const isFirst = "offset" in start;
  const to = (key: EventKey | null, side: EventCursor["side"], there: boolean): string | null =>
    key !== null && there ? encodeCursor({ ...bound(walk), key, side }) : null;
  return {
    nextCursor: to(page.last, "after", backwards || page.more),
    prevCursor: to(page.first, "before", backwards ? page.more : !isFirst),
  };
}

function bound({ walk, catalogueId, order, filters, version, limit }: Walk) {
  return { walk, catalogueId, order, filters, version: version.version, limit };
}
