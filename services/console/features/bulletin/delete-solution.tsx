import { useSignal } from "@preact/signals";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { CallError, call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { count, counted } from "../../ui/text/format.ts";
import type { BulletinProps } from "./read-bulletin.ts";

type DeleteSolutionProps = Pick<BulletinProps, "catalogueId" | "event" | "tag" | "reload"> & {
  readonly bulletin: Bulletin;
  /** Whether the bulletin is here without its arrivals and station magnitudes. */
  readonly isCut: boolean;
  readonly solution: NamedSolution;
  readonly onClose: () => void;
};

export type NamedSolution = Solution & {
  /** "origin 2". */
  readonly name: string;
  readonly isPreferred: boolean;
};

/** Asks, with what goes too, and deletes a solution of an event. */
export function DeleteSolution(props: DeleteSolutionProps) {
  const { catalogueId, event, tag, reload, bulletin, isCut, solution, onClose } = props;
  const { kind, publicID, name, isPreferred } = solution;
  const reason = useSignal("");
  const goes = goesWith(bulletin, solution);
  const remove = async (idempotencyKey: string) => {
    const params = { id: catalogueId, eventId: event.id, kind, publicID };
    try {
      const { version } = await call(
        "DELETE /api/catalogues/:id/events/:eventId/solutions/:kind/:publicID",
        { params, query: { cascade: "true", ...withReason(reason) } },
        { ifMatch: tag, idempotencyKey },
      );
      notice.done(`Deleted: ${name}, in version ${count(version)}`);
    } catch (error) {
      // What others have made of it meanwhile is shown first.
      if (error instanceof CallError && error.status === 412) reload();
      throw error;
    }
    reload();
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      action="Delete"
      of={{ tag, reason: reason.value }}
      run={remove}
      onClose={onClose}
    >
      {goes.length > 0 ? (
        <>
          <p>With it go, because they are nothing without it:</p>
          <ul>
            {goes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>Nothing else goes with it.</p>
      )}
      {isCut && kind !== "focalMechanism" && <p>So do its arrivals and station magnitudes.</p>}
      {isPreferred && (
        <p>It is the preferred one: the event then shows what the rules choose of the others.</p>
      )}
      <p class="muted">Picks and amplitudes stay, and so do earlier versions.</p>
      <ReasonField reason={reason} />
    </ConfirmDialog>
  );
}

/** A solution that may be deleted. */
type Solution = {
  readonly kind: "origin" | "magnitude" | "focalMechanism";
  readonly publicID: string;
};

/**
 * What is nothing without a solution, and goes with it: "12 arrivals", "2 magnitudes". The service's
 * rule (`services/domain/bulletin`), told beforehand.
 */
function goesWith(bulletin: Bulletin, { kind, publicID }: Solution): readonly string[] {
  const { origin = [], magnitude = [], stationMagnitude = [], focalMechanism = [] } = bulletin;
  if (kind === "focalMechanism") {
    const tensors = focalMechanism.find((one) => one.publicID === publicID)?.momentTensor;
    return told([[tensors?.length, "moment tensor"]]);
  }
  if (kind === "magnitude") {
    const one = magnitude.find((other) => other.publicID === publicID);
    return told([[one?.stationMagnitudeContribution?.length, "contribution of a station"]]);
  }
  const ofOrigin = (one: { readonly originID?: string }) => one.originID === publicID;
  const tensors = focalMechanism.flatMap(({ momentTensor = [] }) =>
    momentTensor.filter(({ derivedOriginID }) => derivedOriginID === publicID),
  );
  return told([
    [origin.find((one) => one.publicID === publicID)?.arrival?.length, "arrival"],
    [magnitude.filter(ofOrigin).length, "magnitude"],
    [stationMagnitude.filter(ofOrigin).length, "station magnitude"],
    [tensors.length, "moment tensor"],
  ]);
}

function told(counts: readonly (readonly [number | undefined, string])[]): readonly string[] {
  return counts.flatMap(([number = 0, noun]) => {
    if (number === 0) return [];
    // "2 contributions of a station".
    const [first = "", ...rest] = noun.split(" of ");
    return [[counted(number, first), ...rest].join(" of ")];
  });
}
