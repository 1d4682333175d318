import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { readDiff } from "../../api/diff.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { count } from "../../ui/text/format.ts";

type RestoreProps = {
  readonly catalogue: string;
  readonly latest: number;
  /** The entity tag of the latest version. */
  readonly tag: string;
  readonly version: number;
  readonly onDone: () => void;
  /** Somebody else has made a version meanwhile: what restoring changes is another thing. */
  readonly onConflict: () => void;
  readonly onClose: () => void;
};

/** Makes a new version that equals an earlier one, after saying what this will change. */
export function Restore(props: RestoreProps) {
  const { catalogue: id, latest, tag, version, onDone, onConflict, onClose } = props;
  const read = useCall(`${id} ${latest} ${version}`, (signal) =>
    readDiff(id, { from: latest, to: version }, { limit: 1 }, { signal }),
  );
  const restore = async (idempotencyKey: string) => {
    try {
      const { version: made } = await call(
        "POST /api/catalogues/:id/versions/:version/restore",
        { params: { id, version } },
        { ifMatch: tag, idempotencyKey },
      );
      notice.done(
        made === latest ? "The latest version is so already" : `Restored as version ${count(made)}`,
      );
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onConflict();
      throw error;
    }
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Restore version ${count(version)}`}
      action="Restore"
      isReady={read.answer !== null}
      of={tag}
      run={restore}
      onClose={onClose}
    >
      <p>A new version will equal version {count(version)}. All earlier versions stay.</p>
      <Answered call={read} waiting="Looking at what this changes…">
        {({ added, updated, removed }) => (
          <p>
            It adds {count(added)}, changes {count(updated)} and removes {count(removed)} events.
          </p>
        )}
      </Answered>
    </ConfirmDialog>
  );
}
