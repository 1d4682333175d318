import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { magnitudeName } from "../../ui/text/digits.ts";
import { count, time } from "../../ui/text/format.ts";
import type { Catalogue, SeismicEvent } from "./read-event.ts";

type DeleteEventProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  /** The event's entity tag. */
  readonly tag: string;
  readonly onDone: () => void;
  /** Somebody else has made a version meanwhile. */
  readonly onConflict: () => void;
  readonly onClose: () => void;
};

/** Asks, and removes the event; after another's version only once that has been read. */
export function DeleteEvent(props: DeleteEventProps) {
  const { catalogue, event, tag, onDone, onConflict, onClose } = props;
  const reason = useSignal("");
  const remove = async (idempotencyKey: string) => {
    const params = { id: catalogue.id, eventId: event.id };
    try {
      const { version } = await call(
        "DELETE /api/catalogues/:id/events/:eventId",
        { params, query: withReason(reason) },
        { ifMatch: tag, idempotencyKey },
      );
      notice.done(`The event is removed: version ${count(version)}`);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onConflict();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title="Delete the event"
      action="Delete"
      isDanger
      of={{ tag, reason: reason.value }}
      run={remove}
      onClose={onClose}
    >
      <p>
        The next version of {catalogue.name} is without {nameOf(event)}. Earlier versions keep it.
      </p>
      <ReasonField reason={reason} />
    </ConfirmDialog>
  );
}

/** "the event nz2016 (Mw 7.8, 2016-11-13 11:02:56 UTC)". */
function nameOf({ source_id, magnitude, magnitude_type, time: at }: SeismicEvent): string {
  const [size] = magnitudeName(magnitude, magnitude_type);
  return `the event${source_id ? ` ${source_id}` : ""} (${size}, ${time(at).slice(0, 19)} UTC)`;
}
