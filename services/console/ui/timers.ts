import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { followStream } from "../api/follow-stream.ts";

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

/**
 * Follows a stream and, while there is none, asks again and again.
 * @param address null: there is nothing to follow
 */
export function useFollowed(
  address: string | null,
  listeners: Omit<Parameters<typeof followStream>[1], "onState">,
  everyMs: number,
  ask: () => void,
): void {
  const isStreaming = useRef(false);
  const onState = (isOpen: boolean) => {
    isStreaming.current = isOpen;
  };
  useEffect(
    () => (address === null ? undefined : followStream(address, { ...listeners, onState })),
    [address],
  );
  useRepeated(everyMs, () => {
    if (address !== null && !isStreaming.current) ask();
  });
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

export type Polled<T> = {
  /** The last answer; null before the first. */
  readonly answer: T | null;
  /** Why the last attempt brought none; null after one that did. */
  readonly error: unknown;
  /** Asks at once. */
  readonly ask: () => void;
};

/**
 * Asks the service again and again. An error stays until another attempt has ended, so that it is read
 * out once; a question without an answer within the period is an error too.
 */
export function usePolled<T>(
  everyMs: number,
  question: (signal: AbortSignal) => Promise<T>,
): Polled<T> {
  const answer = useSignal<T | null>(null);
  const error = useSignal<unknown>(null);
  const running = useRef<AbortController | null>(null);
  const ask = () => {
    // It has its own time, and is told when that has passed.
    if (running.current) return;
    const abort = new AbortController();
    running.current = abort;
    const end = (outcome: () => void) => {
      if (running.current !== abort) return;
      running.current = null;
      clearTimeout(timer);
      outcome();
    };
    const timer = setTimeout(() => {
      end(() => fail(`The service has not answered for ${everyMs / 1_000} s`));
      abort.abort();
    }, everyMs);
    question(abort.signal).then(
      (latest) =>
        end(() => {
          answer.value = latest;
          error.value = null;
        }),
      (reason: unknown) =>
        end(() => {
          error.value = reason;
        }),
    );
  };
  const fail = (sentence: string) => {
    if (!(error.value instanceof Error && error.value.message === sentence)) {
      error.value = new Error(sentence);
    }
  };
  useEffect(() => {
    ask();
    return () => {
      running.current?.abort();
      running.current = null;
    };
  }, []);
  useRepeated(everyMs, ask);
  return { answer: answer.value, error: error.value, ask };
}
