import { sleep } from "./backoff.ts";

/** Runs `work` now and every `everyMs`, until closed; after a failure the next run tries again. */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeating = (async () => {
    while (!signal.aborted) {
      await work().catch(onFailure);
      await sleep(everyMs, signal);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await repeating;
    },
  };
}
