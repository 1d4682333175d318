import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useRepeated } from "./timers.ts";

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
