import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CallError } from "../../api/call-error.ts";

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
