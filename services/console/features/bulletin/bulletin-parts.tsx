import { addressOf } from "../../api/call.ts";
import { Answered } from "../../ui/call/answered.tsx";
import type { Loaded } from "../../ui/call/use-call.ts";
import { counted } from "../../ui/text/format.ts";
import { ArrivalsPart } from "./arrivals-part.tsx";
import type { ReadBulletin, SeismicEvent } from "./read-bulletin.ts";
import { SolutionsPart } from "./solutions-part.tsx";
import { StationMagnitudesPart } from "./station-magnitudes-part.tsx";

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

/** All solutions of an event, with the arrivals and station magnitudes that they were made of. */
export function BulletinParts(props: BulletinProps) {
  const { event, read } = props;
  if (event.bulletin_counts === undefined) return null;
  return (
    <Answered call={read} answer={read.last}>
      {({ bulletin, isCut }) =>
        bulletin ? (
          <>
            <SolutionsPart bulletin={bulletin} shown={event} prefer={null} />
            <ArrivalsPart bulletin={bulletin} shown={event} />
            <StationMagnitudesPart bulletin={bulletin} shown={event} />
          </>
        ) : (
          isCut && <LargeNotice {...props} counts={event.bulletin_counts} />
        )
      }
    </Answered>
  );
}

type LargeNoticeProps = Pick<BulletinProps, "catalogueId" | "event" | "asOf"> & {
  readonly counts: SeismicEvent["bulletin_counts"];
};

/** Where there is too much to be shown, it is taken along. */
function LargeNotice({ catalogueId, event, asOf, counts }: LargeNoticeProps) {
  const address = addressOf("GET /api/catalogues/:id/events/:eventId/arrivals", {
    params: { id: catalogueId, eventId: event.id },
    query: { asOf },
  });
  return (
    <p class="notice">
      {counted(counts?.arrivals ?? 0, "arrival")} and{" "}
      {counted(counts?.station_magnitudes ?? 0, "station magnitude")} are too many to be shown here.{" "}
      <a href={address}>Arrivals as JSON</a>
    </p>
  );
}
