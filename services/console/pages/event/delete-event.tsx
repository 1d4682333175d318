import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { notice } from "../../ui/notices.tsx";
import type { Catalogue, SeismicEvent } from "./page.tsx";

type DeleteEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

export function DeleteEvent({ catalogue, event, onDone, onClose }: DeleteEventProps) {
  const remove = async () => {
    const { version } = await call(
      "DELETE /api/catalogues/:id/events/:eventId",
      { params: { id: catalogue.id, eventId: event.id } },
      { ifMatch: catalogue.version, idempotencyKey: crypto.randomUUID() },
    );
    notice.done(`The event is removed: version ${version}`);
    onDone();
  };
  return (
    <ConfirmDialog title="Delete the event" action="Delete" run={remove} onClose={onClose}>
      <p>The next version of {catalogue.name} is without this event. Earlier versions keep it.</p>
    </ConfirmDialog>
  );
}
