import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { CallError, isReachable } from "../../api/call.ts";
import { hereAsNext, readSession, user } from "../../api/session.ts";

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
        if (isForAccounts(reason)) navigate(`/login${hereAsNext()}`, { replace: true });
        else error.value = reason;
        if (isForAnotherRole(reason)) void readSession().catch(() => undefined);
      },
    );
    return () => abort.abort();
  }, [key, attempt.value]);
  const isBack = isReachable.value;
  useEffect(() => {
    if (!isBack || !wasUnreachable(error.value)) return;
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

function wasUnreachable(reason: unknown): boolean {
  return reason instanceof CallError && reason.status === 0;
}

/** The role may have been lowered since the service was asked. */
function isForAnotherRole(reason: unknown): boolean {
  return reason instanceof CallError && reason.status === 403;
}

function isForAccounts(reason: unknown): boolean {
  return reason instanceof CallError && reason.status === 401 && !user.value;
}
