import type { RecordedEvent } from "../event-log.ts";

/** Received events that were not taken yet, in order of arrival. */
export type SentQueue = {
  put(event: RecordedEvent): void;
  /** Removes and returns all events. */
  take(): RecordedEvent[];
  /** Marks the end, normal or with an error. */
  end(error?: unknown): void;
  /**
   * Resolves when there are events or an end, after `ms`, or when `signal` aborts.
   * @throws the error of the end, once all events are taken
   */
  wait(ms: number, signal: AbortSignal): Promise<"something" | "end" | "nothing">;
  isFull(): boolean;
};

/** About one batch; the rest stays at the server. */
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
