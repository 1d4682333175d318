import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CallError } from "../../api/call.ts";

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

/** The service's own sentence. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof CallError ? `${text}.`.replaceAll(/\.{2,}/g, ".") : text;
}

/** What the service's log calls the request, for whoever asks its administrator. */
function RequestId({ error }: { readonly error: unknown }) {
  if (!(error instanceof CallError) || error.requestId === null) return null;
  return <small class="request">request {error.requestId}</small>;
}

type ErrorNoticeProps = {
  /** Null for nothing. */
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
};

/** Why something could not be done. */
export function ErrorNotice(props: ErrorNoticeProps) {
  return props.error === null ? null : <Failure {...props} />;
}

/** The seconds count outside of what is read out, which would be every one. */
function Failure({ error, retry }: ErrorNoticeProps) {
  const left = useSecondsLeft(error);
  return (
    <div class="notice error">
      <div class="notice-text">
        <span role="alert">{sentenceOf(error)}</span>
        <RequestId error={error} />
      </div>
      {left > 0 && !retry && <span class="nowrap">Try again in {left} s</span>}
      {retry && (
        <button type="button" class="nowrap" onClick={retry} disabled={left > 0}>
          {left > 0 ? `Try again in ${left} s` : "Try again"}
        </button>
      )}
    </div>
  );
}

/** Counts down to when the service takes another attempt; 0 where it takes one now. */
export function useSecondsLeft(error: unknown): number {
  const after = (error instanceof CallError && error.retryAfter) || 0;
  const left = useSignal(after);
  useEffect(() => {
    left.value = after;
    if (after === 0) return;
    // By the clock: timers of pages that nobody sees are late.
    const until = Date.now() + after * 1_000;
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
      if (left.value === 0) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [error]);
  return left.value;
}
