import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { call, type SeismicEvent } from "../../api/call.ts";
import { type Loaded, useCall } from "../../ui/call.tsx";

/** A bulletin whose canonical JSON is larger is not read whole: no page shows a hundred thousand arrivals. */
const MOST_BYTES = 12 * 1024 * 1024;

/** Of a large bulletin. */
const SOLUTIONS = "origin,magnitude,focalMechanism";

type ReadBulletin = {
  /** Null where the event has none. */
  readonly bulletin: Bulletin | null;
  /** Whether arrivals and station magnitudes are left out, because there are too many. */
  readonly isCut: boolean;
};

/** An event's bulletin as one version has it. @param event null where there is none in that version */
export function useBulletin(
  id: string,
  event: SeismicEvent | null,
  asOf: string | undefined,
): Loaded<ReadBulletin> {
  const { id: eventId = "", bulletin_sha256: sha256, bulletin_counts: counts } = event ?? {};
  return useCall(JSON.stringify([id, eventId, sha256, asOf]), async (signal) => {
    if (counts === undefined) return { bulletin: null, isCut: false };
    const isCut = counts.bytes > MOST_BYTES;
    const { bulletin } = await call(
      "GET /api/catalogues/:id/events/:eventId/bulletin",
      { params: { id, eventId }, query: { parts: isCut ? SOLUTIONS : undefined, asOf } },
      { signal },
    );
    return { bulletin, isCut };
  });
}

/** What the parts of a bulletin are made of. */
export type BulletinProps = {
  readonly catalogueId: string;
  readonly event: SeismicEvent;
  readonly asOf: string | undefined;
  /** The event's entity tag. */
  readonly tag: string;
  readonly canEdit: boolean;
  readonly read: Loaded<ReadBulletin>;
  /** Reads the event anew. */
  readonly reload: () => void;
};
