import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { count } from "../../ui/text/format.ts";
import type { ChangeDialogProps } from "./catalogue-change.ts";
import { ChangesOfOthers } from "./changes-of-others.tsx";
import { useSeenCatalogue } from "./use-seen-catalogue.ts";

/** Makes a catalogue public or internal, after saying who can read what then. */
export function PublishCatalogue({ catalogue, onChanged, onClose }: ChangeDialogProps) {
  const { id, is_public: isPublic } = catalogue;
  const withHistory = useSignal(false);
  const now = useSeenCatalogue(id);
  const version = now.seen?.version ?? catalogue.version;
  const publish = async () => {
    const body = isPublic
      ? { is_public: false }
      : { is_public: true, ...(withHistory.value && { publishHistory: true }) };
    await now.write(body, (options) =>
      call("PATCH /api/catalogues/:id", { params: { id }, body }, options),
    );
    notice.done(isPublic ? "The catalogue is internal" : "The catalogue is public");
    onChanged({ is_public: !isPublic, access: isPublic ? "internal" : "public" });
  };
  return (
    <ConfirmDialog
      title={isPublic ? "Make the catalogue internal" : "Publish the catalogue"}
      action={isPublic ? "Make internal" : "Publish"}
      isReady={now.seen !== null}
      run={publish}
      onClose={onClose}
    >
      {isPublic ? (
        <p>Guests can no longer read its events; everybody who is signed in can.</p>
      ) : (
        <>
          <p>
            Everybody can read its events, without an account:{" "}
            {version > 0 ? `version ${count(version)} and all later ones` : "all versions to come"}.
          </p>
          {version > 1 && (
            <Checkbox
              checked={withHistory.value}
              onChecked={(isChecked) => (withHistory.value = isChecked)}
            >
              The earlier versions too
            </Checkbox>
          )}
        </>
      )}
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}
