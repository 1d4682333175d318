import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import { encodeCursor } from "../events/event-cursor.ts";
import { readPage } from "../events/event-pages.ts";
import { AS_EVENTS, NO_EVENTS, type PageForm, type WrittenEvents } from "../events/event-writer.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
  type VersionRequest,
} from "../events/resolve-version.ts";
import type { EventReads } from "./event-reads.ts";
import type { InTurn } from "./key-memory.ts";
import type { Way } from "./page-positions.ts";

type SliceRequest = VersionRequest & {
  readonly offset: number;
  readonly limit: number;
};

type EventSlice = {
  readonly events: WrittenEvents;
  readonly version: number;
  /** Whether guests may read the version. */
  readonly isPublic: boolean;
  /** All events of the version. */
  readonly total: number;
  /** A cursor after the slice; null at the end. */
  readonly nextCursor: string | null;
};

/**
 * The events from `offset` on, newest first: for pages by number and by offset.
 * @param inTurn schedules long work, which is needed when the slice is far from both ends and from
 * known positions
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf; errors of inTurn
 */
export async function sliceOfEvents(
  reads: EventReads,
  { offset, limit, ...request }: SliceRequest,
  inTurn: InTurn,
  form: PageForm = AS_EVENTS,
): Promise<EventSlice> {
  const version = await resolveVersion(reads.prepared, request);
  const events = await readSlice(reads, version, { offset, limit }, inTurn, form);
  const { count, last } = events;
  const total = version.eventCount;
  const more = last !== null && offset + count < total;
  return {
    events,
    version: version.version,
    isPublic: isPublicVersion(version),
    total,
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

/** Skipped rows are read and discarded, so the slice is read from the nearest end or known position. */
async function readSlice(
  reads: EventReads,
  version: ResolvedVersion,
  { offset, limit }: Pick<SliceRequest, "offset" | "limit">,
  inTurn: InTurn,
  form: PageForm,
): Promise<WrittenEvents> {
  const length = Math.min(limit, version.eventCount - offset);
  if (length <= 0) return NO_EVENTS;
  const beyond = version.eventCount - offset - length;
  const along = (order: EventOrder, past: number): Way => ({
    selection: { version, order, filters: {} },
    offset: past,
    events: version.eventCount,
  });
  const ways = [along("time", offset), along("time-asc", beyond)];
  const { way, start } = await reads.positions.nearest(ways, inTurn);
  return readPage(reads, way.selection, start, length, {
    reversed: way.selection.order === "time-asc",
    form,
  });
}
