import { type Signal, useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import { magnitudeName } from "../../ui/text/digits.ts";
import { count, time } from "../../ui/text/format.ts";
import { EditEvent } from "./edit-event.tsx";
import type { Catalogue, EventReading, SeismicEvent } from "./read-event.ts";

export type EventDialog = "edit" | "delete";
type OpenDialog = { readonly dialog: Signal<EventDialog | null> };

/** What editors do with an event. */
export function EditButtons({ dialog }: OpenDialog) {
  return (
    <>
      <button type="button" onClick={() => (dialog.value = "edit")}>
        Edit…
      </button>
      <button type="button" class="danger" onClick={() => (dialog.value = "delete")}>
        Delete…
      </button>
    </>
  );
}

type EventDialogsProps = OpenDialog &
  Pick<EventReading, "catalogue" | "tag"> & {
    readonly event: NonNullable<EventReading["event"]>;
    readonly reload: () => void;
  };

/** The window that was opened by one of the buttons. */
export function EventDialogs({ catalogue, event, tag, dialog, reload }: EventDialogsProps) {
  const [, navigate] = useLocation();
  const close = () => {
    dialog.value = null;
  };
  const shared = { catalogue, event, tag, onClose: close };
  switch (dialog.value) {
    case null:
      return null;
    case "edit":
      return (
        <EditEvent
          {...shared}
          onDone={() => {
            close();
            reload();
          }}
        />
      );
    case "delete":
      return (
        <DeleteEvent
          {...shared}
          onDone={() => navigate(`/catalogues/${catalogue.id}`)}
          onConflict={reload}
        />
      );
  }
}

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
function DeleteEvent(props: DeleteEventProps) {
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
