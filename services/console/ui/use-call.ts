import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { CallError } from "../api/call-error.ts";
import { readSession, user } from "../api/session.ts";
import { hereAsNext } from "./next-address.ts";

export type Loaded<T> = {
  /** The last answer; null before the first. */
  readonly answer: Signal<T | null>;
  readonly error: Signal<unknown>;
  readonly reload: () => void;
};

/**
 * Asks the service when the page is shown, and anew when `key` changes; an answer that comes too late
 * for its key is dropped. What needs an account leads guests to sign in, and back.
 */
export function useCall<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const answer = useSignal<T | null>(null);
  const error = useSignal<unknown>(null);
  const attempt = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    error.value = null;
    ask(abort.signal).then(
      (found) => {
        if (!abort.signal.aborted) answer.value = found;
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
  return { answer, error, reload: () => attempt.value++ };
}

/** The role may have been lowered since the service was asked. */
function isForAnotherRole(reason: unknown): boolean {
  return reason instanceof CallError && reason.status === 403;
}

function isForAccounts(reason: unknown): boolean {
  return reason instanceof CallError && reason.status === 401 && !user.value;
}
