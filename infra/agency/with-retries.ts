import type { Logger } from "pino";
import { backoffMs } from "../postgres/backoff.ts";
import { AgencyError, AgencyTimeout, AgencyUnavailable } from "./errors.ts";

export type RetryOptions = {
  /** After the first try. */
  readonly retries: number;
  /** The first wait, doubled each time; jittered between half and all of it. */
  readonly backoffMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger | null;
};

const LONGEST_BACKOFF_MS = 60_000;

/**
 * The outcome of `attempt`, tried again after what may pass: time-outs, broken connections and answers,
 * 5xx, 429. An open circuit, a refusal and an abort are thrown at once; at the end, the last failure.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  options: RetryOptions,
): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (tried >= options.retries || !mayPass(error)) throw error;
      const waitMs = waitAskedFor(error) ?? backoffMs(tried, options.backoffMs, LONGEST_BACKOFF_MS);
      const reason = error instanceof Error ? error.message : String(error);
      options.logger?.warn({ reason, waitMs, retry: tried + 1 }, "request to agency failed");
      await options.sleep(waitMs, signal);
      signal.throwIfAborted();
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof AgencyError) return error.worthRetrying;
  return error instanceof AgencyTimeout || error instanceof AgencyUnavailable;
}

function waitAskedFor(error: unknown): number | null {
  return error instanceof AgencyUnavailable ? error.retryAfterMs : null;
}
