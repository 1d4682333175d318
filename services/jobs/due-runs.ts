import { createWakeUp } from "#infra/kernel/waiting.ts";

export type DueRuns = {
  /** Runs all that are due, until none is. @returns how many runs there were */
  readonly runDue: () => Promise<number>;
  /** Starts no more; those that run go on. */
  readonly stop: () => Promise<void>;
};

/** Runs what is due, beside other processes that do so on the same database. */
export function createDueRuns<T>({
  atOnce,
  pollMs,
  claim,
  run,
  onTrouble,
}: {
  readonly atOnce: number;
  /** How often it is looked for what is due; null for never but by `runDue`. */
  readonly pollMs: number | null;
  /** Claims what is due for this process, so many at most. */
  readonly claim: (limit: number) => Promise<readonly T[]>;
  /** Runs one to its end; never rejects. */
  readonly run: (claimed: T) => Promise<unknown>;
  /** It could not be looked for what is due. */
  readonly onTrouble: (error: unknown) => void;
}): DueRuns {
  const wakeUp = createWakeUp();
  const stopping = new AbortController();
  let free = atOnce;

  /** Starts those that are due, as many as there are places. @returns the runs */
  async function start(): Promise<Promise<void>[]> {
    const claimed = await claim(free);
    free -= claimed.length;
    return claimed.map(async (one) => {
      await run(one);
      free += 1;
      wakeUp.wake();
    });
  }

  async function poll(everyMs: number): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      const version = wakeUp.version();
      await start().catch(onTrouble);
      await wakeUp.wait(version, everyMs, signal);
    }
  }

  const polling = pollMs === null ? Promise.resolve() : poll(pollMs);
  return {
    async runDue() {
      let count = 0;
      for (let due = await start(); due.length > 0; due = await start()) {
        count += due.length;
        await Promise.all(due);
      }
      return count;
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}
