import { signal } from "@preact/signals";
import { sentenceOf } from "./error-notice.tsx";

type Notice = { readonly id: number; readonly text: string; readonly kind: "done" | "error" };

const shown = signal<readonly Notice[]>([]);
let last = 0;

/** Errors stay until they are closed. */
const DONE_MS = 6_000;

function add(text: string, kind: Notice["kind"]): void {
  last += 1;
  const id = last;
  shown.value = [...shown.value, { id, text, kind }];
  if (kind === "done") setTimeout(() => close(id), DONE_MS);
}

function close(id: number): void {
  shown.value = shown.value.filter((notice) => notice.id !== id);
}

/** What was done, or why it was not, for whatever page is shown. */
export const notice = {
  done: (text: string): void => add(text, "done"),
  error: (error: unknown): void => add(sentenceOf(error), "error"),
};

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {shown.value.map(({ id, text, kind }) => (
        <div key={id} class={`notice ${kind}`}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label="Close" onClick={() => close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
