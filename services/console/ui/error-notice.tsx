import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CallError } from "../api/call-error.ts";

/** The service's own sentence, with what its log calls the request. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  const wait = error.retryAfter === null ? "" : ` Try again in ${error.retryAfter} s.`;
  const request = error.status >= 500 && error.requestId ? ` (request ${error.requestId})` : "";
  return `${error.message}.${wait}${request}`.replaceAll(/\.{2,}/g, ".");
}

type ErrorNoticeProps = { readonly error: unknown; readonly retry?: () => void };

export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  const left = useSecondsLeft(error);
  return (
    <div class="notice error" role="alert">
      <span>{sentenceOf(error)}</span>
      {(retry || left > 0) && (
        <button type="button" onClick={retry} disabled={left > 0 || !retry}>
          {left > 0 ? `${left} s` : "Try again"}
        </button>
      )}
    </div>
  );
}

/** Counts down to when the service takes another attempt. */
function useSecondsLeft(error: unknown): number {
  const after = (error instanceof CallError && error.retryAfter) || 0;
  const left = useSignal(after);
  useEffect(() => {
    left.value = after;
    if (after === 0) return;
    const timer = setInterval(() => {
      left.value = Math.max(0, left.value - 1);
    }, 1_000);
    return () => clearInterval(timer);
  }, [error]);
  return left.value;
}
