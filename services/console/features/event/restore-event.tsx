import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { ReasonField, withReason } from "../../ui/form/reason-field.tsx";
import type { ChangedLine } from "../../ui/text/changed-lines.ts";
import { count } from "../../ui/text/format.ts";
import { ChangedLines } from "./changed-lines.tsx";
import type { Catalogue } from "./read-event.ts";

type RestoreEventProps = {
  readonly catalogue: Catalogue;
  readonly eventId: string;
  /** The event's entity tag; empty where it is removed. */
  readonly tag: string;
  readonly version: number;
  /** What restoring it changes. */
  readonly lines: readonly ChangedLine[];
  readonly isRemoved: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Asks, with what it changes, and makes an event as it was in an earlier version. */
export function RestoreEvent(props: RestoreEventProps) {
  const { catalogue, eventId, tag, version, lines, isRemoved, onDone, onClose } = props;
  const reason = useSignal("");
  const restore = async (idempotencyKey: string) => {
    try {
      const made = await call(
        "POST /api/catalogues/:id/events/:eventId/restore",
        { params: { id: catalogue.id, eventId }, query: withReason(reason), body: { version } },
        { idempotencyKey, ...(tag !== "" && { ifMatch: tag }) },
      );
      notice.done(`The event is as in version ${count(version)}: version ${count(made.version)}`);
    } catch (error) {
      // What others have made of it meanwhile is shown first.
      if (error instanceof CallError && error.status === 412) onDone();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Restore the event as in version ${count(version)}`}
      action="Restore"
      of={{ tag, reason: reason.value }}
      run={restore}
      onClose={onClose}
    >
      {isRemoved && <p>The event comes back under its id.</p>}
      {lines.length > 0 && <p>The next version of {catalogue.name} has:</p>}
      <ChangedLines lines={lines} />
      {lines.length === 0 && !isRemoved && (
        <p>No attribute differs; the bulletin becomes as it was.</p>
      )}
      <ReasonField reason={reason} />
    </ConfirmDialog>
  );
}
