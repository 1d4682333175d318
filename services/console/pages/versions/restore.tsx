import { call } from "../../api/call.ts";
import { readDiff } from "../../api/diff.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { count } from "../../ui/format.ts";
import { notice } from "../../ui/notices.tsx";
import { useCall } from "../../ui/use-call.ts";
import type { Catalogue } from "./page.tsx";

type RestoreProps = {
  readonly catalogue: Catalogue;
  readonly version: number;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Makes a new version that equals an earlier one, after saying what this will change. */
export function Restore({ catalogue, version, onDone, onClose }: RestoreProps) {
  const { id, version: latest } = catalogue;
  const { answer } = useCall(`${id} ${version}`, (signal) =>
    readDiff(id, { from: latest, to: version }, { limit: 1 }, { signal }),
  );
  const restore = async () => {
    const { version: made } = await call(
      "POST /api/catalogues/:id/versions/:version/restore",
      { params: { id, version } },
      { ifMatch: latest, idempotencyKey: crypto.randomUUID() },
    );
    notice.done(
      made === latest ? "The latest version is so already" : `Restored as version ${made}`,
    );
    onDone();
  };
  const diff = answer.value;
  return (
    <ConfirmDialog
      title={`Restore version ${version}`}
      action="Restore"
      run={restore}
      onClose={onClose}
    >
      <p>
        A new version will equal version {version}.{" "}
        {diff &&
          `It adds ${count(diff.added)}, changes ${count(diff.updated)} and removes ${count(diff.removed)} events.`}{" "}
        All earlier versions stay.
      </p>
    </ConfirmDialog>
  );
}
