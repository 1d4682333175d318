import { createBackoff, sleep } from "#infra/kernel/backoff.ts";
import type { Logger } from "#infra/logging/logger.ts";

type SuperviseOptions = {
  /** Ends the work, and the wait between two tries. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** The work's name in the log. */
  readonly name: string;
  /** Faults that no retry can heal; they are thrown. */
  readonly isFatal?: (error: unknown) => boolean;
  /** Milliseconds before the first retry, and the longest wait between two. */
  readonly backoff?: { readonly baseMs: number; readonly capMs: number };
};

/**
 * Keeps `work` running until `signal` aborts: whenever it returns or throws, it is restarted after a
 * jittered back-off with a cap, which is short again once the work has called `progressed`.
 */
export async function supervise(
  work: (progressed: () => void) => Promise<void>,
  { signal, logger, name, isFatal = () => false, backoff: waits }: SuperviseOptions,
): Promise<void> {
  const backoff = createBackoff({ baseMs: 100, capMs: 10_000, ...waits });
  while (!signal.aborted) {
    try {
      await work(backoff.reset);
    } catch (error) {
      if (isFatal(error)) throw error;
      if (!signal.aborted) logger.warn({ err: error, work: name }, "interrupted, tried again");
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}
