import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import {
  type AnswerOf,
  CallError,
  type CallOptions,
  call,
  type InputOf,
  isReachable,
  type OperationName,
  statusOf,
} from "../api/call.ts";
import { hereAsNext, readSession, user } from "../api/session.ts";
import { useAttempts } from "./form/attempts.ts";

export type Loaded<T> = {
  /** The answer to the key; null until it is there. It stays while it is asked for anew. */
  readonly answer: T | null;
  /** The last answer, to another key while that to this one is on its way: for lists, which then stand still. */
  readonly last: T | null;
  /** Why the last attempt failed; null otherwise. */
  readonly error: unknown;
  readonly reload: () => void;
};

/** From when the service is back until it is asked what it could not be. */
const AGAIN_MS = 2_000;

/**
 * Asks the service when the page is shown, and anew when `key` changes; an answer that comes too late
 * for its key is dropped. A service that could not be reached is asked again when it is back. What needs an account leads guests to sign in, and back.
 */
export function useCall<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useSignal<{ readonly key: string; readonly answer: T } | null>(null);
  const error = useSignal<unknown>(null);
  const attempt = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    error.value = null;
    ask(abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) loaded.value = { key, answer };
      },
      (reason: unknown) => {
        if (abort.signal.aborted) return;
        const status = statusOf(reason);
        const isForAccounts = status === 401 && !user.value;
        if (isForAccounts) navigate(`/login${hereAsNext()}`, { replace: true });
        else error.value = reason;
        // The role may have been lowered since the service was asked.
        if (status === 403) void readSession().catch(() => undefined);
      },
    );
    return () => abort.abort();
  }, [key, attempt.value]);
  const isBack = isReachable.value;
  useEffect(() => {
    if (!isBack || statusOf(error.value) !== 0) return;
    // Not at once: where this call alone fails, others tell again and again that the service is there.
    const timer = setTimeout(() => attempt.value++, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isBack, error.value]);
  const last = loaded.value?.answer ?? null;
  return {
    answer: loaded.value?.key === key ? last : null,
    last,
    error: error.value,
    reload: () => attempt.value++,
  };
}

/**
 * As `useCall`, of one operation of the API: it is asked anew when what is sent changes, or `of` does.
 * @param input null: nothing is asked
 */
export function useAnswer<K extends OperationName>(
  operation: K,
  input: InputOf<K> | null,
  of?: unknown,
): Loaded<AnswerOf<K> | null> {
  return useCall(
    JSON.stringify([operation, input, of]),
    async (signal) => input && call(operation, input, { signal }),
  );
}

type AnsweredProps<T> = {
  readonly call: Pick<Loaded<T>, "answer" | "error"> & Partial<Pick<Loaded<T>, "reload">>;
  /** What is shown, where it is not the answer to the present key. */
  readonly answer?: T | null;
  /** What is said while there is neither an answer nor an error. */
  readonly waiting?: string | undefined;
  readonly children: (answer: NonNullable<T>) => ComponentChildren;
};

/** A call's answer; above it, or in its place, why the last attempt failed; before both, that it is waited for. */
export function Answered<T>(props: AnsweredProps<T>) {
  const { call, answer = call.answer, waiting, children } = props;
  return (
    <>
      <ErrorNotice error={call.error} retry={call.reload} />
      {answer === null || answer === undefined
        ? call.error === null && <Waiting text={waiting} />
        : children(answer)}
    </>
  );
}

/** Shown by its style only after 200 ms, so that quick answers do not flicker. */
export function Waiting({ text = "Loading…" }: { readonly text?: string | undefined }) {
  return (
    <div class="waiting" role="status">
      <p>{text}</p>
      <div class="skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    </div>
  );
}

export type Action = {
  readonly isBusy: Signal<boolean>;
  /** Runs it unless something still runs; what fails is told in a notice, or by `onError`. */
  readonly run: (action: () => Promise<void>, onError?: (error: unknown) => void) => void;
};

/** What buttons do without a form: one thing at a time. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const run: Action["run"] = (action, onError = notice.error) => {
    if (isBusy.value) return;
    isBusy.value = true;
    action()
      .catch(onError)
      .finally(() => {
        isBusy.value = false;
      });
  };
  return { isBusy, run };
}

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

type Write<Answer> = {
  /** What is written: another attempt of the same has the same key. */
  readonly what?: unknown;
  readonly send: (options: CallOptions) => Promise<Answer>;
  /** What is told once it is done. */
  readonly done?: string;
  readonly after?: (answer: Answer) => void;
  /** However it ends: the list is read anew, above all where somebody else was first. */
  readonly reload?: () => void;
  /** What a failure means. */
  readonly explain?: (error: unknown) => unknown;
};

/** What a button or a switch writes without a form. @param about as of `useAttempts` */
export function useWrite(about?: unknown) {
  const { isBusy, run } = useAction();
  const attempt = useAttempts(about);
  function write<Answer>({ what = null, send, done, after, reload, explain }: Write<Answer>): void {
    run(
      async () => {
        const answer = await attempt(what, (idempotencyKey) => send({ idempotencyKey }));
        if (done !== undefined) notice.done(done);
        after?.(answer);
        reload?.();
      },
      (error) => {
        notice.error(explain ? explain(error) : error);
        reload?.();
      },
    );
  }
  return { isBusy, write };
}
