import { sleep } from "#infra/kernel/backoff.ts";
import type { Log } from "#infra/kernel/log.ts";
import { Ambiguous, LogMismatch, Unavailable } from "./errors.ts";
import type { EventLog } from "./event-log.ts";

export type LogWatchOptions = {
  /** Compares the log with its checkpoints. @throws LogMismatch, Unavailable */
  readonly requireKnown: () => Promise<void>;
  readonly everyMs?: number;
  readonly logger: Log;
};

export type WatchedLog<L> = L & {
  /** Why this is not the log that the read models were built from; null while it is. */
  mismatch(): LogMismatch | null;
};

const EVERY_MS = 2_000;
/** Longest wait of an append for the comparison, since its caller has limited time. */
const APPEND_WAITS_MS = 3_000;

/**
 * Wraps a log so that it refuses appends while it is not the log that the read models were built
 * from: an event store may be restored from a backup while the service runs. The comparison runs
 * every few seconds, and before the first append after a failed one, since a returning server may be
 * another.
 */
export function watchLog<L extends EventLog>(
  log: L,
  { requireKnown, everyMs = EVERY_MS, logger }: LogWatchOptions,
): WatchedLog<L> {
  const closing = new AbortController();
  let mismatch: LogMismatch | null = null;
  let isCertain = true;
  let comparing: Promise<void> | null = null;

  function compare(): Promise<void> {
    comparing ??= compareOnce().finally(() => {
      comparing = null;
    });
    return comparing;
  }

  async function compareOnce(): Promise<void> {
    try {
      await requireKnown();
      if (mismatch !== null) logger.info({}, "the event log is the known one again");
      mismatch = null;
      isCertain = true;
    } catch (error) {
      isCertain = false;
      if (!(error instanceof LogMismatch)) return;
      if (mismatch === null) logger.warn({ err: error }, "changes are refused");
      mismatch = error;
    }
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await compare();
      await sleep(everyMs, closing.signal);
    }
  }

  const watching = watch();
  return {
    ...log,
    mismatch: () => mismatch,
    async append(...append) {
      if (!isCertain) await Promise.race([compare(), sleep(APPEND_WAITS_MS, closing.signal)]);
      if (mismatch !== null) throw mismatch;
      if (!isCertain) throw new Unavailable("the event log cannot be compared with its readers");
      try {
        return await log.append(...append);
      } catch (error) {
        if (error instanceof Unavailable || error instanceof Ambiguous) isCertain = false;
        throw error;
      }
    },
    async close() {
      closing.abort();
      await watching;
      await log.close();
    },
  };
}
