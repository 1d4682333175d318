import { useSignal } from "@preact/signals";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { count } from "../../ui/text/format.ts";
import { goesWith, type Solution } from "./goes-with.ts";
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
