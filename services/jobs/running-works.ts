import { setTimeout as delay } from "node:timers/promises";

/** The reason of an abort by the stop of the service. */
export class ServiceStopping extends Error {
  override readonly name = "ServiceStopping";

  constructor() {
    super("the service is stopping");
  }
}

/** How long running work is waited for before it is aborted. */
const GRACE_MS = 5_000;

type Running = {
  /** Of a job; null for work that is attended. */
  readonly caller: string | null;
  readonly controller: AbortController;
  readonly settled: Promise<void>;
};

/** The jobs of this process, and the work that callers attend. */
export function createRunningWorks() {
  const running = new Map<string, Running>();
  let isClosed = false;

  /** Waits until nothing runs, including work that starts meanwhile. */
  async function settle(): Promise<void> {
    while (running.size > 0) await Promise.all([...running.values()].map((run) => run.settled));
  }

  return {
    has: (id: string) => running.has(id),
    jobsOf: (caller: string) =>
      [...running.values()].filter((work) => work.caller === caller).length,
    abort: (id: string, reason: Error) => running.get(id)?.controller.abort(reason),
    track<R>(
      id: string,
      caller: string | null,
      work: (controller: AbortController) => Promise<R>,
    ): Promise<R> {
      const controller = new AbortController();
      if (isClosed) controller.abort(new ServiceStopping());
      const ended = work(controller).finally(() => running.delete(id));
      running.set(id, { caller, controller, settled: ended.then(nothing, nothing) });
      return ended;
    },
    /** Waits briefly for what runs, then aborts it. */
    async close(): Promise<void> {
      const grace = new AbortController();
      await Promise.race([
        settle().finally(() => grace.abort()),
        delay(GRACE_MS, undefined, { signal: grace.signal }).catch(nothing),
      ]);
      isClosed = true;
      for (const { controller } of running.values()) controller.abort(new ServiceStopping());
      await settle();
    },
  };
}

function nothing(): void {}
