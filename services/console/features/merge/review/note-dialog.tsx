import { useSignal } from "@preact/signals";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { bound } from "../../../ui/form/bound.ts";
import { Dialog } from "../../../ui/form/dialog.tsx";
import { SubmitRow } from "../../../ui/form/submit-row.tsx";
import { TextArea } from "../../../ui/form/text-area.tsx";
import { useSubmit } from "../../../ui/form/use-submit.ts";
import type { ReviewPair } from "./queue.ts";
import type { Desk } from "./use-desk.ts";

const MOST_LETTERS = 1_000;

type NoteDialogProps = {
  readonly pair: ReviewPair;
  readonly put: Desk["put"];
  readonly onClose: () => void;
};

/** What somebody writes down of a pair: others see it, and the decision takes it along. */
export function NoteDialog({ pair, put, onClose }: NoteDialogProps) {
  const note = useSignal(pair.note ?? "");
  const { submit, isBusy, error } = useSubmit(async () => {
    await put(pair.id, { note: note.value.trim() || null });
    onClose();
  });
  return (
    <Dialog title="Note on the pair" onClose={onClose}>
      <p class="muted">
        Whoever looks at the pair sees it. It goes with the decision, as the reason for it.
      </p>
      <form onSubmit={submit}>
        <TextArea label="Note" max={MOST_LETTERS} {...bound(note)} />
        <ErrorNotice error={error.value} />
        <SubmitRow text="Keep the note" isDisabled={isBusy.value} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
