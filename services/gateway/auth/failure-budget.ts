import { createRecent } from "#infra/kernel/recent.ts";

/** The state of a budget: how much is left, and when it is full again. */
export type BudgetState = {
  readonly max: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** A running attempt; its caller reports the outcome. */
export type Attempt = { readonly end: (failed: boolean) => void };

/** Failures per key in a window that starts with the first failure. */
export type FailureBudget = {
  /** Null when the budget is used up. Waits while running attempts may still use it up. */
  readonly begin: (key: string) => Promise<Attempt | null>;
  readonly stateOf: (key: string) => BudgetState;
};

export type FailureBudgetOptions = {
  /** Failures in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** Keys counted at once; beyond them the least recently used is evicted. */
  readonly maxKeys: number;
  /** A clock in milliseconds, from any start. */
  readonly now?: () => number;
};

type Entry = {
  failures: number;
  endsAt: number;
  running: number;
  readonly waiting: (() => void)[];
};

/**
 * Counts failures only, and never more than `max`, however many attempts are concurrent: as many run
 * as may still fail, and the others wait for their outcomes.
 */
export function createFailureBudget(options: FailureBudgetOptions): FailureBudget {
  const { max, windowMs, maxKeys, now = () => performance.now() } = options;
  const entries = createRecent<Entry>(maxKeys);

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? { failures: 0, endsAt: 0, running: 0, waiting: [] };
    return renewed(entry);
  }

  function renewed(entry: Entry): Entry {
    if (entry.failures > 0 && entry.endsAt <= now()) entry.failures = 0;
    return entry;
  }

  function end(key: string, entry: Entry, failed: boolean): void {
    renewed(entry).running -= 1;
    if (failed) {
      if (entry.failures === 0) entry.endsAt = now() + windowMs;
      entry.failures += 1;
    }
    const isIdle = entry.failures === 0 && entry.running === 0;
    if (isIdle && entries.get(key) === entry) entries.drop(key);
    // Wakes all waiters, since there may be no further attempt on this entry whose end could wake
    // them. Those that must keep waiting keep their order.
    for (const wake of entry.waiting.splice(0)) wake();
  }

  return {
    async begin(key) {
      for (;;) {
        const entry = entryOf(key);
        entries.keep(key, entry);
        if (entry.failures >= max) return null;
        if (entry.failures + entry.running < max) {
          entry.running += 1;
          return { end: (failed) => end(key, entry, failed) };
        }
        await new Promise<void>((resolve) => entry.waiting.push(resolve));
      }
    },
    stateOf(key) {
      const { failures, endsAt } = entryOf(key);
      const leftMs = failures > 0 ? endsAt - now() : windowMs;
      const remaining = Math.max(0, max - failures);
      return { max, remaining, resetSeconds: Math.ceil(leftMs / 1_000) };
    },
  };
}
