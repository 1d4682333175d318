import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "#infra/logging/logger.ts";

export type Close = () => void | Promise<void>;

export type Lifecycle = {
  /** Aborts when the stop begins: for loops and waits that have no other end. */
  readonly signal: AbortSignal;
  /**
   * Registers what has to be closed. Closing runs in reverse order of registration. What is
   * registered after the stop has begun is closed at once.
   */
  onClose(name: string, close: Close): void;
  /**
   * Closes everything, in `timeoutMs` in all; the same promise for every call. A failure or the
   * end of the time is logged and makes the answer false.
   */
  stop(): Promise<boolean>;
};

export type LifecycleOptions = {
  readonly log: Logger;
  /** For all that has to be closed together. */
  readonly timeoutMs: number;
};

/** The ordered, bounded end of a process. */
export function createLifecycle({ log, timeoutMs }: LifecycleOptions): Lifecycle {
  const closers: { name: string; close: Close }[] = [];
  const stopping = new AbortController();
  let stopped: Promise<boolean> | undefined;

  const closeOne = async ({ name, close }: { name: string; close: Close }): Promise<boolean> => {
    try {
      await close();
      return true;
    } catch (error) {
      log.error({ err: error, resource: name }, "closing failed");
      return false;
    }
  };

  const closeAll = async (): Promise<boolean> => {
    let clean = true;
    for (let next = closers.at(-1); next; next = closers.at(-1)) {
      clean = (await closeOne(next)) && clean;
      closers.splice(closers.indexOf(next), 1);
    }
    return clean;
  };

  const stop = async (): Promise<boolean> => {
    const timer = new AbortController();
    const outOfTime = delay(timeoutMs, "out of time" as const, { signal: timer.signal });
    // Cancelled when everything has been closed in time.
    outOfTime.catch(() => undefined);
    const outcome = await Promise.race([closeAll(), outOfTime]);
    timer.abort();
    if (outcome !== "out of time") return outcome;
    log.error({ open: closers.map(({ name }) => name), timeoutMs }, "stopping took too long");
    return false;
  };

  return {
    signal: stopping.signal,
    onClose(name, close) {
      if (stopping.signal.aborted) void closeOne({ name, close });
      else closers.push({ name, close });
    },
    stop() {
      stopping.abort();
      stopped ??= stop();
      return stopped;
    },
  };
}
