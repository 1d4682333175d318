import type { RecordedEvent } from "../event-log.ts";

/** What was sent and is not yet taken, in the order in which it was sent. */
export type SentQueue = {
  put(event: RecordedEvent): void;
  /** Takes everything. */
  take(): RecordedEvent[];
  /** Nothing more comes: quietly, or because of an error. */
  end(error?: unknown): void;
  /**
   * Resolves when there is something to take or an end, after `ms`, or when `signal` aborts.
   * @throws the error that it ended with, once everything is taken
   */
  wait(ms: number, signal: AbortSignal): Promise<"something" | "end" | "nothing">;
  isFull(): boolean;
};

/** A batch at most, about; the rest waits with the server. */
const MAX_ITEMS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

export function createSentQueue(): SentQueue {
  let items: RecordedEvent[] = [];
  let bytes = 0;
  let ended: { readonly error: unknown } | null = null;
  let wake: () => void = () => {};

  async function change(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const abort = (): void => resolve();
    signal.addEventListener("abort", abort);
    wake = resolve;
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }

  return {
    put(event) {
      items.push(event);
      if (event.data instanceof Uint8Array) bytes += event.data.length;
      wake();
    },
    take() {
      const taken = items;
      items = [];
      bytes = 0;
      return taken;
    },
    end(error) {
      ended ??= { error };
      wake();
    },
    async wait(ms, signal) {
      if (items.length === 0 && ended === null && !signal.aborted) await change(ms, signal);
      if (items.length > 0) return "something";
      if (ended === null) return "nothing";
      if (ended.error !== undefined) throw ended.error;
      return "end";
    },
    isFull: () => items.length >= MAX_ITEMS || bytes >= MAX_BYTES,
  };
}
