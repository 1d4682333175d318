import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** Does something again and again while the page can be seen, and at once when it is seen again; null: never. */
export function useRepeated(everyMs: number | null, act: () => void): void {
  // What is done is that of the last rendering, not of the first.
  const last = useRef(act);
  last.current = act;
  useEffect(() => {
    if (everyMs === null) return;
    const run = () => last.current();
    let timer = 0;
    const stop = () => clearInterval(timer);
    const start = () => {
      stop();
      timer = setInterval(run, everyMs);
    };
    const onVisibility = () => {
      if (document.hidden) return stop();
      run();
      start();
    };
    if (!document.hidden) start();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [everyMs]);
}

/** Between two letters of somebody who types. */
const REST_MS = 250;

/** A value once it has stopped changing, so that the service is not asked at every key. */
export function useSettled<T>(value: T): T {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = value;
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

/** Resolves after so long; rejects with the signal's reason once it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
