import { type DatabasePool, sql } from "slonik";
import { encodeCursor } from "./event-cursor.ts";
import { type EventPage, readPage } from "./event-pages.ts";
import type { ListedEvent } from "./event-rows.ts";
import { type ResolvedVersion, resolveVersion } from "./resolve-version.ts";

export type SliceRequest = {
  readonly catalogueId: string;
  readonly asOf: string | undefined;
  readonly offset: number;
  readonly limit: number;
};

export type EventSlice = {
  readonly events: ListedEvent[];
  readonly version: number;
  /** All events of the version. */
  readonly total: number;
  /** A cursor that goes on after the slice; null at the end. */
  readonly nextCursor: string | null;
};

/**
 * The events from `offset` on, newest first: for pages by number and by offset.
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR for asOf
 */
export async function sliceOfEvents(
  pool: DatabasePool,
  request: SliceRequest,
): Promise<EventSlice> {
  const { catalogueId, asOf, offset, limit } = request;
  const version = await resolveVersion(pool, catalogueId, asOf);
  const { events, last } = await readSlice(pool, version, offset, limit);
  const total = version.eventCount;
  const more = last !== null && offset + events.length < total;
  return {
    events,
    version: version.version,
    total,
    nextCursor: more
      ? encodeCursor({
          walk: "events",
          catalogueId,
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

/** Skipped rows are read and thrown away, so the slice is reached from the end that is nearer. */
async function readSlice(
  pool: DatabasePool,
  version: ResolvedVersion,
  offset: number,
  limit: number,
): Promise<Pick<EventPage, "events" | "last">> {
  const where = sql.fragment`true`;
  const length = Math.min(limit, version.eventCount - offset);
  if (length <= 0) return { events: [], last: null };
  const beyond = version.eventCount - offset - length;
  if (offset <= beyond) {
    return readPage(pool, { version, order: "time", where }, { offset }, length);
  }
  const selection = { version, order: "time-asc", where } as const;
  const { events, first } = await readPage(pool, selection, { offset: beyond }, length);
  return { events: events.reverse(), last: first };
}
