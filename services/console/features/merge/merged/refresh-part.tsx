import { useSignal } from "@preact/signals";
import type { Change } from "../../../api/diff.ts";
import { startOperation } from "../../../api/start-operation.ts";
import { ShownChanges } from "../../../map/changes/shown-changes.tsx";
import { addressOfEvent } from "../../../model/address-of-event.ts";
import type { AnswerOf, InputOf } from "../../../model/operation-types.ts";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { useAction } from "../../../ui/call/use-action.ts";
import { useAttempts } from "../../../ui/form/use-attempts.ts";
import { count } from "../../../ui/text/format.ts";
import { toldChanges } from "../../../ui/text/told-changes.ts";

export type RefreshPreview = AnswerOf<"POST /api/catalogues/:id/merge/preview">;
type RefreshBody = InputOf<"POST /api/catalogues/:id/merge/refresh">["body"];

type RefreshPartProps = {
  readonly catalogue: string;
  readonly preview: RefreshPreview;
  /** What the preview was made with; empty for the settings as they are. */
  readonly body: RefreshBody;
  readonly onStarted: (operation: string) => void;
  readonly onCancel: () => void;
};

/** What a refresh would change, and the refresh itself. */
export function RefreshPart(props: RefreshPartProps) {
  const { catalogue, preview, body, onStarted, onCancel } = props;
  const { added, updated, removed, changes } = preview;
  const { isBusy, run } = useAction();
  const error = useSignal<unknown>(null);
  const attempt = useAttempts();
  const refresh = () =>
    run(
      async () => {
        error.value = null;
        const params = { id: catalogue };
        onStarted(
          await attempt(body, (key) =>
            startOperation("POST /api/catalogues/:id/merge/refresh", { params, body }, key),
          ),
        );
      },
      (reason) => {
        error.value = reason;
      },
    );
  const isNothing = added + updated + removed === 0;
  return (
    <section class="stack merge-preview" aria-label="What a refresh changes">
      <h2>What a refresh changes</h2>
      <p class="sum">{isNothing ? "Nothing: every event stays as it is." : toldChanges(preview)}</p>
      <ErrorNotice error={error.value} />
      <div class="row">
        <button type="button" class="primary" disabled={isBusy.value} onClick={refresh}>
          {isBusy.value ? "Starting…" : "Refresh"}
        </button>
        <button type="button" onClick={onCancel}>
          Leave it as it is
        </button>
        <span class="muted">
          {isNothing
            ? "A refresh makes no new version, and notes that the sources were looked at."
            : "A refresh makes a new version; the ones before stay."}
        </span>
      </div>
      {changes.length > 0 && (
        <>
          {changes.length < added + updated + removed && (
            <p class="muted">
              The map and the list have the first {count(changes.length)} of{" "}
              {count(added + updated + removed)}.
            </p>
          )}
          <ShownChanges
            changes={changes as readonly Change[]}
            addressOf={({ change, event }) =>
              change === "added" ? null : addressOfEvent(catalogue, event.id)
            }
          />
        </>
      )}
    </section>
  );
}
