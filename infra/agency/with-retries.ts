import type { Logger } from "pino";
import { backoffMs } from "../kernel/backoff.ts";
import { AgencyError, AgencyTimeout, AgencyUnavailable } from "./errors.ts";

export type RetryOptions = {
  /** Number of tries after the first. */
  readonly retries: number;
  /** Wait before the first retry, doubled each time; jitter shortens it to between half and all of it. */
  readonly backoffMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger | null;
};

const LONGEST_BACKOFF_MS = 60_000;

/**
 * Runs `attempt`, with retries after transient failures: time-outs, broken connections or answers,
 * 5xx, 429. An open circuit, a refusal and an abort are thrown at once; when the retries are used
 * up, the last failure is.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  options: RetryOptions,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (retry >= options.retries || !mayPass(error)) throw error;
      const waitMs = waitAskedFor(error) ?? backoffMs(retry, options.backoffMs, LONGEST_BACKOFF_MS);
      const reason = error instanceof Error ? error.message : String(error);
      options.logger?.warn({ reason, waitMs, retry: retry + 1 }, "request to agency failed");
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
