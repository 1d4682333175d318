import { useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import type { ChangeDialogProps } from "./catalogue-change.ts";
import { ChangesOfOthers } from "./changes-of-others.tsx";
import { useSeenCatalogue } from "./use-seen-catalogue.ts";

/** Deletes a catalogue, when its name has been typed. */
export function DeleteCatalogue({ catalogue, onClose }: ChangeDialogProps) {
  const { id } = catalogue;
  const now = useSeenCatalogue(id);
  const [, navigate] = useLocation();
  const name = now.seen?.name ?? catalogue.name;
  const remove = async () => {
    await now.write("delete", (options) =>
      call("DELETE /api/catalogues/:id", { params: { id } }, options),
    );
    notice.done(`“${name}” is deleted`);
    navigate("/catalogues");
  };
  return (
    <ConfirmDialog
      title="Delete the catalogue"
      action="Delete"
      name={name}
      isReady={now.seen !== null}
      run={remove}
      onClose={onClose}
    >
      <p>
        Its events can no longer be read, here or by programs. The record of each version and its
        citation stay.
      </p>
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}
