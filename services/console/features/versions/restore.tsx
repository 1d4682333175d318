import { useRef } from "preact/hooks";
import { createAttempts } from "../../api/attempts.ts";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { readDiff } from "../../api/diff.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
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
  const { answer, error, reload } = useCall(`${id} ${latest} ${version}`, (signal) =>
    readDiff(id, { from: latest, to: version }, { limit: 1 }, { signal }),
  );
  const attempts = useRef(createAttempts());
  const restore = async () => {
    try {
      const { version: made } = await attempts.current.run(tag, (idempotencyKey) =>
        call(
          "POST /api/catalogues/:id/versions/:version/restore",
          { params: { id, version } },
          { ifMatch: tag, idempotencyKey },
        ),
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
  const last = answer.value;
  const diff = last?.from === latest && last.to === version ? last : null;
  return (
    <ConfirmDialog
      title={`Restore version ${count(version)}`}
      action="Restore"
      isReady={diff !== null}
      run={restore}
      onClose={onClose}
    >
      <p>A new version will equal version {count(version)}. All earlier versions stay.</p>
      {diff !== null ? (
        <p>
          It adds {count(diff.added)}, changes {count(diff.updated)} and removes{" "}
          {count(diff.removed)} events.
        </p>
      ) : error.value === null ? (
        <Waiting text="Looking at what this changes…" />
      ) : (
        <ErrorNotice error={error.value} retry={reload} />
      )}
    </ConfirmDialog>
  );
}
