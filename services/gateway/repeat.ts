import { setTimeout as delay } from "node:timers/promises";

/** Does `work` at once and every `everyMs` after, until closed; a failure is told and waited out. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeating = (async () => {
    while (!signal.aborted) {
      await work().catch(onFailure);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await repeating;
    },
  };
}
