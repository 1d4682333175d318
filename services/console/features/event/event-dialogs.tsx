import type { Signal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { DeleteEvent } from "./delete-event.tsx";
import { EditEvent } from "./edit-event.tsx";
import type { EventReading } from "./read-event.ts";

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
