/** How a budget stands: what of it is left, and when it is whole again. */
export type BudgetState = {
  readonly max: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** An attempt under way: whoever makes it says how it ended. */
export type Attempt = { readonly end: (failed: boolean) => void };

/** Failures per key in a window that begins with the first of them. */
export type FailureBudget = {
  /** Null where the budget is spent. Resolves once attempts under way cannot spend it any more. */
  readonly begin: (key: string) => Promise<Attempt | null>;
  readonly stateOf: (key: string) => BudgetState;
};

export type FailureBudgetOptions = {
  /** Failures in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** Keys counted at once: beyond them the one unseen longest is forgotten. */
  readonly maxKeys: number;
  /** Milliseconds from any start. */
  readonly now?: () => number;
};

type Entry = {
  failures: number;
  endsAt: number;
  running: number;
  readonly waiting: (() => void)[];
};

/**
 * Counts failures alone, and never more than `max` of them, however many attempts come at once: as
 * many run as may still fail, and the others wait to see whether they did.
 */
export function createFailureBudget(options: FailureBudgetOptions): FailureBudget {
  const { max, windowMs, maxKeys, now = () => performance.now() } = options;
  const entries = new Map<string, Entry>();

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? { failures: 0, endsAt: 0, running: 0, waiting: [] };
    return renewed(entry);
  }

  function renewed(entry: Entry): Entry {
    if (entry.failures > 0 && entry.endsAt <= now()) entry.failures = 0;
    return entry;
  }

  /** Puts it last, as the one seen latest. */
  function keep(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxKeys && oldest !== undefined) entries.delete(oldest);
  }

  function end(key: string, entry: Entry, failed: boolean): void {
    renewed(entry).running -= 1;
    if (failed) {
      if (entry.failures === 0) entry.endsAt = now() + windowMs;
      entry.failures += 1;
    }
    const isIdle = entry.failures === 0 && entry.running === 0;
    if (isIdle && entries.get(key) === entry) entries.delete(key);
    // All of them: this may be no entry that another attempt ends in. Who has to wait on keeps its place.
    for (const wake of entry.waiting.splice(0)) wake();
  }

  return {
    async begin(key) {
      for (;;) {
        const entry = entryOf(key);
        keep(key, entry);
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
