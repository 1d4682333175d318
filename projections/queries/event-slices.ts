import { type DatabasePool, sql } from "slonik";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { encodeCursor } from "./event-cursor.ts";
import { readPage } from "./event-pages.ts";
import { resolveVersion } from "./resolve-version.ts";

export type SliceRequest = {
  readonly catalogueId: string;
  readonly asOf: string | undefined;
  readonly offset: number;
  readonly limit: number;
};

export type EventSlice = {
  readonly events: SeismicEvent[];
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
export async function sliceOfEvents(pool: DatabasePool, request: SliceRequest): Promise<EventSlice> {
  const { catalogueId, asOf, offset, limit } = request;
  const version = await resolveVersion(pool, catalogueId, asOf);
  const selection = { version, order: "time", where: sql.fragment`true` } as const;
  const { events, last, more } = await readPage(pool, selection, { offset }, limit);
  const next = more && last !== null;
  return {
    events,
    version: version.version,
    total: version.eventCount,
    nextCursor: next
      ? encodeCursor({
          walk: "events",
          catalogueId,
          version: version.version,
          order: "time",
          filters: {},
          key: last,
          side: "after",
        })
      : null,
  };
}
