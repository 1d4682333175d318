import { encodeCursor } from "../events/event-cursor.ts";
import { readPage } from "../events/event-pages.ts";
import type { EventReads } from "../events/event-reads.ts";
import { AS_EVENTS, NO_EVENTS, type PageForm, type WrittenEvents } from "../events/event-writer.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
  type VersionRequest,
} from "../events/resolve-version.ts";
import { nearestStart } from "./nearest-start.ts";

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
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function sliceOfEvents(
  reads: EventReads,
  { offset, limit, ...request }: SliceRequest,
  form: PageForm = AS_EVENTS,
): Promise<EventSlice> {
  const version = await resolveVersion(reads.prepared, request);
  const events = await readSlice(reads, version, { offset, limit }, form);
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

/** The rows of the slice are read in the order in which the fewest are skipped. */
async function readSlice(
  reads: EventReads,
  version: ResolvedVersion,
  { offset, limit }: Pick<SliceRequest, "offset" | "limit">,
  form: PageForm,
): Promise<WrittenEvents> {
  const length = Math.min(limit, version.eventCount - offset);
  if (length <= 0) return NO_EVENTS;
  const place = { newer: offset, older: version.eventCount - offset - length };
  const { order, start } = await nearestStart(reads.prepared, version, place);
  const reversed = order === "time-asc";
  return readPage(reads, { version, order, filters: {} }, start, length, { reversed, form });
}
