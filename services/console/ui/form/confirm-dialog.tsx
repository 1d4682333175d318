import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ErrorNotice } from "../call/notices.tsx";
import { useAttempts } from "./attempts.ts";
import { Dialog } from "./dialog.tsx";
import { bound, Field } from "./field.tsx";
import { useSubmit } from "./submit.tsx";

type ConfirmDialogProps = {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** Must be typed before the button works, where nothing brings back what is lost. */
  readonly name?: string;
  /** What is lost comes back only from an earlier version, or not at all. */
  readonly isDanger?: boolean;
  /** False while what will happen is not known yet. */
  readonly isReady?: boolean;
  /** What is written, where it changes while the window is open. */
  readonly of?: unknown;
  /** Gets the key of the attempt (`CallOptions`), the same until the service has answered one. */
  readonly run: (idempotencyKey: string) => Promise<void>;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ComponentChildren;
};

/** Asks before something is done; says in the same window why it could not be done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, name, isReady = true, of = null, run, onClose, children } = props;
  const isDanger = props.isDanger ?? name !== undefined;
  const typed = useSignal("");
  const attempt = useAttempts();
  const { submit, isBusy, error } = useSubmit(async () => {
    await attempt(of, run);
    onClose();
  });
  const isNamed = name === undefined || typed.value.trim() === name.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {name !== undefined && (
          <Field label={`Type “${name}” to confirm`} autocomplete="off" {...bound(typed)} />
        )}
        <ErrorNotice error={error.value} />
        <div class="row">
          <button
            type="submit"
            class={isDanger ? "danger" : "primary"}
            disabled={!isReady || !isNamed || isBusy.value}
          >
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
