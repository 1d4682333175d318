import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "./logger.ts";

export type Close = () => void | Promise<void>;

type CloseOptions = {
  /** Closes as soon as the stop begins; nothing that is closed in order may depend on it. */
  readonly atOnce?: boolean;
  /** Ends a resource that would outlive the process, in any state and within moments. */
  readonly force?: () => Promise<void>;
};

type Closer = {
  readonly name: string;
  readonly options: CloseOptions;
  close: () => Promise<boolean>;
};

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Ends a process in order and within a bounded time. */
export function createLifecycle(options: {
  readonly log: Logger;
  /** Time for closing all resources together. */
  readonly timeoutMs: number;
  /** After this time what remains is closed all at once, in no order. Default `timeoutMs`. */
  readonly hurryMs?: number;
}) {
  const { log, timeoutMs, hurryMs = timeoutMs } = options;
  const open = new Set<Closer>();
  const stopping = new AbortController();
  let stopped: Promise<boolean> | undefined;

  async function stop(): Promise<boolean> {
    const ended = new AbortController();
    const wait = (ms: number) =>
      delay(ms, null, { signal: ended.signal }).catch(() => null satisfies null);
    const outcome = await Promise.race([closeAll(open, wait(hurryMs)), wait(timeoutMs)]);
    ended.abort();
    if (outcome !== null) return outcome;
    log.error({ open: [...open].map(({ name }) => name), timeoutMs }, "stopping took too long");
    await forceAll(open, log);
    return false;
  }

  return {
    /** Aborts when the stop begins, for loops and waits without another end. */
    signal: stopping.signal,
    /** Resources are closed in reverse order, and at once when the stop has begun. */
    onClose(name: string, close: Close, options: CloseOptions = {}): void {
      const closeOnce = closingOnce(name, close, log);
      const closer: Closer = {
        name,
        options,
        close: () => closeOnce().finally(() => open.delete(closer)),
      };
      open.add(closer);
      if (stopping.signal.aborted) void closer.close();
    },
    /** Closes everything within `timeoutMs`; false after a failure or the time-out, which is logged. */
    stop(): Promise<boolean> {
      stopping.abort();
      stopped ??= stop();
      return stopped;
    },
    /** Forces the end of resources that would outlive the process, without closing anything. */
    force(): Promise<void> {
      stopping.abort();
      return forceAll(open, log);
    },
  };
}

async function closeAll(open: ReadonlySet<Closer>, hurry: Promise<unknown>): Promise<boolean> {
  const closers = [...open].reverse();
  for (const { close, options } of closers) if (options.atOnce) void close();
  for (const { close } of closers) await Promise.race([close(), hurry]);
  const clean = await Promise.all(closers.map(({ close }) => close()));
  return clean.every(Boolean);
}

async function forceAll(open: ReadonlySet<Closer>, log: Logger): Promise<void> {
  const all = [...open].map(async ({ name, options }) =>
    options.force?.().catch((error: unknown) => {
      log.error({ err: error, resource: name }, "ending by force failed");
    }),
  );
  await Promise.all(all);
}

/** Closes at the first call and logs a failure; false after one. */
function closingOnce(name: string, close: Close, log: Logger): () => Promise<boolean> {
  let closed: Promise<boolean> | undefined;
  const run = async (): Promise<boolean> => {
    try {
      await close();
      return true;
    } catch (error) {
      log.error({ err: error, resource: name }, "closing failed");
      return false;
    }
  };
  return () => {
    closed ??= run();
    return closed;
  };
}

/** The used part of the global `process`, so that tests need no real signals. */
type SignalSource = {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
};

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const FAULTS = ["uncaughtException", "unhandledRejection"] as const;
/** Within this time they are one: a terminal signals all its processes, and npm forwards its own. */
const SAME_SIGNAL_MS = 1_000;

/**
 * SIGTERM, SIGINT and SIGHUP stop the process in order; it exits with 0, or with 1 when a resource
 * could not be closed. Another signal a second or more later exits at once, and also ends resources
 * that would outlive the process. An uncaught error is logged, stops the process in the same order
 * and exits with 1.
 * @param nowMs a clock in milliseconds, from any start
 * @returns a function that removes the handlers
 */
export function installSignals(
  source: SignalSource,
  lifecycle: Pick<Lifecycle, "stop" | "force">,
  log: Logger,
  nowMs: () => number = () => performance.now(),
): () => void {
  let exitingSinceMs: number | null = null;

  const exitAfterStop = async (code: number): Promise<void> => {
    exitingSinceMs = nowMs();
    const clean = await lifecycle.stop();
    source.exit(clean ? code : 1);
  };

  const onSignal = (signal: unknown): void => {
    if (exitingSinceMs === null) {
      log.info({ signal }, "stopping");
      void exitAfterStop(0);
    } else if (nowMs() - exitingSinceMs >= SAME_SIGNAL_MS) {
      log.warn({ signal }, "another signal, exiting at once");
      void lifecycle.force().finally(() => source.exit(1));
    }
  };

  const onFault = (error: unknown): void => {
    log.fatal({ err: error }, "unexpected error");
    if (exitingSinceMs === null) void exitAfterStop(1);
  };

  for (const signal of SIGNALS) source.on(signal, onSignal);
  for (const fault of FAULTS) source.on(fault, onFault);
  return () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
    for (const fault of FAULTS) source.off(fault, onFault);
  };
}
