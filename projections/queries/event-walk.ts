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
import { readAtCursor, readAtVersion } from "./read-at-version.ts";
import { readPage } from "./read-page.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
  type SeenVersion,
  type VersionName,
  type VersionRequest,
} from "./resolve-version.ts";

/** A filtered query's filters alone. */
export type Filters = Omit<FilteredQuery, "orderBy" | "limit" | "cursor" | "asOf">;

/** What a request says of its walk; a cursor knows the rest, and what is repeated must agree with it. */
export type WalkRequest = VersionRequest & {
  readonly walk: EventCursor["walk"];
  readonly cursor: string | undefined;
  readonly order: EventOrder | undefined;
  readonly filters: Filters;
  readonly limit: number | undefined;
  /** Where neither the request nor its cursor has a limit. */
  readonly defaultLimit: number;
};

export type WalkPage = {
  readonly events: WrittenEvents;
  readonly version: number;
  /** Whether guests may read the version. */
  readonly isPublic: boolean;
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
 * @throws ApiError NOT_FOUND, UNAUTHENTICATED, INVALID_CURSOR, VALIDATION_ERROR for asOf
 */
export async function walkEvents(reads: EventReads, request: WalkRequest): Promise<WalkPage> {
  if (request.cursor === undefined) {
    return readAtVersion(reads, request, (version) => pageOf(reads, beginWalk(request, version)));
  }
  const cursor = decodeCursor(request.cursor);
  requireAgreement(request, cursor);
  await requireVersion(reads, request, cursor);
  const { version, limit, key, side } = cursor;
  return readAtCursor(reads, { ...request, version }, (named) =>
    pageOf(reads, {
      ...cursor,
      limit: request.limit ?? limit,
      version: named,
      start: { key, side },
    }),
  );
}

async function pageOf(reads: EventReads, walk: Walk): Promise<WalkPage> {
  const filters = filtersOf(walk.filters);
  const page = await readPage(reads, { ...walk, filters }, walk.start, walk.limit);
  const { limit, version } = walk;
  const isPublic = isPublicVersion(version);
  return { events: page, version: version.version, isPublic, limit, ...cursorsOf(walk, page) };
}

function beginWalk(request: WalkRequest, version: ResolvedVersion | SeenVersion): Walk {
  const { walk, catalogueId, order = "time", limit = request.defaultLimit } = request;
  const filters = asText(request.filters);
  return { walk, catalogueId, order, filters, version, limit, start: { offset: 0 } };
}

/** @throws ApiError INVALID_CURSOR where what is repeated is not as the cursor has it */
function requireAgreement(
  { walk, catalogueId, order, filters }: WalkRequest,
  cursor: EventCursor,
): void {
  const repeated = Object.entries(asText(filters));
  const agrees =
    cursor.walk === walk &&
    cursor.catalogueId === catalogueId &&
    (order === undefined || order === cursor.order) &&
    repeated.every(([name, value]) => cursor.filters[name] === value);
  if (!agrees) throw invalidCursor();
}

/** The same for `asOf`. */
async function requireVersion(
  reads: EventReads,
  request: WalkRequest,
  { version }: EventCursor,
): Promise<void> {
  if (request.asOf === undefined) return;
  const asked = await resolveVersion(reads.prepared, request);
  if (asked.version !== version) throw invalidCursor("The cursor is of another version");
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
