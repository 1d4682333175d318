import { useSignal } from "@preact/signals";
import { addressOf, call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { count, counted } from "../../ui/text/format.ts";
import { ArrivalsPart } from "./arrivals-part.tsx";
import { DeleteSolution, type NamedSolution } from "./delete-solution.tsx";
import type { PreferredIds } from "./prefer-cell.tsx";
import type { BulletinProps, SeismicEvent } from "./read-bulletin.ts";
import { SolutionsPart } from "./solutions-part.tsx";
import { StationMagnitudesPart } from "./station-magnitudes-part.tsx";

/** All solutions of an event, with the arrivals and station magnitudes that they were made of. */
export function BulletinParts(props: BulletinProps) {
  const { event, read, canEdit } = props;
  const deleted = useSignal<NamedSolution | null>(null);
  const prefer = usePrefer(props);
  if (event.bulletin_counts === undefined) return null;
  return (
    <Answered call={read} answer={read.last}>
      {({ bulletin, isCut }) =>
        bulletin && (
          <>
            <SolutionsPart
              bulletin={bulletin}
              actions={canEdit ? { prefer, remove: (one) => (deleted.value = one) } : null}
            />
            {deleted.value && (
              <DeleteSolution
                {...props}
                bulletin={bulletin}
                isCut={isCut}
                solution={deleted.value}
                onClose={() => (deleted.value = null)}
              />
            )}
            {isCut ? (
              <LargeNotice {...props} counts={event.bulletin_counts} />
            ) : (
              <>
                <ArrivalsPart bulletin={bulletin} />
                <StationMagnitudesPart bulletin={bulletin} />
              </>
            )}
          </>
        )
      }
    </Answered>
  );
}

/** Makes a solution the preferred one, unless somebody else has changed the event meanwhile. */
function usePrefer({ catalogueId, event, tag, reload }: BulletinProps) {
  const attempt = useAttempts();
  const { run } = useAction();
  return (body: PreferredIds) =>
    run(async () => {
      try {
        const { version } = await attempt({ body, tag }, (idempotencyKey) =>
          call(
            "PATCH /api/catalogues/:id/events/:eventId/preferred",
            { params: { id: catalogueId, eventId: event.id }, body },
            { ifMatch: tag, idempotencyKey },
          ),
        );
        notice.done(`Preferred from version ${count(version)} on`);
      } catch (error) {
        // What others have made of it meanwhile is shown first.
        if (error instanceof CallError && error.status === 412) reload();
        throw error;
      }
      reload();
    });
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
