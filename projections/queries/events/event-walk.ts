import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filtersOfCursor } from "../cursor-filters.ts";
import { invalidCursor } from "../cursor-text.ts";
import { type EventCursor, type EventKey, encodeCursor } from "./event-cursor.ts";
import { readPage } from "./event-pages.ts";
import type { EventReads } from "./event-reads.ts";
import { AS_EVENTS, type PageForm, type WrittenEvents } from "./event-writer.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  requireReadable,
  resolveVersion,
  type VersionRequest,
} from "./resolve-version.ts";

export type WalkRequest = VersionRequest & {
  readonly walk: EventCursor["walk"];
  /** Newest first by default. */
  readonly order: EventOrder | undefined;
  readonly filters: EventFilters;
  readonly limit: number;
  /** Where the walk continues; null at its start. The request's other parameters must agree with it. */
  readonly cursor: EventCursor | null;
};

type WalkPage = {
  readonly events: WrittenEvents;
  readonly version: number;
  /** What its reader was shown of a merge's sources. */
  readonly shown: Pick<ResolvedVersion, "hidden" | "seesMore">;
  /** Whether guests may read the version. */
  readonly isPublic: boolean;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
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
): Promise<WalkPage> {
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
    shown: version,
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
