import { signal } from "@preact/signals";
import { RequestId, sentenceOf } from "./error-notice.tsx";
import { useSecondsLeft } from "./use-seconds-left.ts";

type Notice = {
  readonly id: number;
  readonly text: string;
  /** Of what failed. */
  readonly error?: unknown;
};

const open = signal<readonly Notice[]>([]);
let last = 0;

/** Errors stay until they are closed. */
const DONE_MS = 6_000;

function add(message: Omit<Notice, "id">): number {
  last += 1;
  open.value = [...open.value, { id: last, ...message }];
  return last;
}

function close(id: number): void {
  open.value = open.value.filter((one) => one.id !== id);
}

/** What was done, or why it was not, for whatever page is shown. */
export const notice = {
  done: (text: string): void => {
    const id = add({ text });
    setTimeout(() => close(id), DONE_MS);
  },
  error: (error: unknown): void => {
    add({ text: sentenceOf(error), error });
  },
};

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {open.value.map((one) => (
        <Shown key={one.id} notice={one} />
      ))}
    </div>
  );
}

function Shown({ notice: { id, text, error } }: { readonly notice: Notice }) {
  const left = useSecondsLeft(error);
  return (
    <div class={error === undefined ? "notice done" : "notice error"}>
      <div class="notice-text">
        <span>{text}</span>
        <RequestId error={error} />
      </div>
      {left > 0 && (
        <span class="nowrap" aria-live="off">
          Try again in {left} s
        </span>
      )}
      <button type="button" class="plain" aria-label="Close" onClick={() => close(id)}>
        ×
      </button>
    </div>
  );
}
